/** Updates the orders and cases of a client when its webhook is set or removed, in batches. */
import { computeCaseOwnerTag } from '#cases/access.ts';
import { linkCaseToWebhook } from '#cases/case-events.ts';
import { linkOrderToWebhook } from '#payments/order-events.ts';
import { toErrorTrace } from '#platform/log.ts';
import type { PageCursor, PageRequest } from '#platform/page-cursor.ts';
import { cutToDay } from '#platform/text/day.ts';
import { giveWay } from '#platform/turns.ts';
import type { Services } from '#services.ts';
import { deleteCaseWebhooks } from '#store/cases/case-webhooks.ts';
import { listCasesForViewer } from '#store/cases/cases.ts';
import { openWebhook } from '#store/clients/webhook-ciphertexts.ts';
import {
  deleteEndedWebhook,
  isWebhookInState,
  listUnsettledWebhooks,
  settleMarkedWebhook,
  type Webhook,
} from '#store/clients/webhooks.ts';
import { awaitWriters } from '#store/engine/writers.ts';
import { deleteOrderWebhooks } from '#store/orders/order-webhooks.ts';
import { listOrdersByOwner } from '#store/orders/orders.ts';
import { computeOrderOwnerTag } from '#store/owner.ts';
import type { Records } from '#store/schema/tables.ts';

type SettlingServices = Pick<Services, 'clock' | 'keyring' | 'store'>;

/** Small, because each row may be changed. */
const BATCH = 50;

/** Finishes what an interrupted request left undone. A webhook that fails does not hold up the others. */
export async function settleWebhooks({
  log,
  ...services
}: SettlingServices & Pick<Services, 'log'>): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await listUnsettledWebhooks(services.store.records, { after, limit: BATCH });
    for (const row of rows)
      await settleWebhook(services, row).catch((error: unknown) =>
        log.event('task_failed', { task: 'settle a webhook', ...toErrorTrace(error) }),
      );
    after = rows.at(-1)?.id ?? '';
    if (rows.length < BATCH) return;
  }
}

/** Idempotent. Stops if the webhook is set or removed meanwhile. */
export async function settleWebhook(services: SettlingServices, row: Webhook): Promise<void> {
  const { clock, keyring, store } = services;
  const owner = { clientId: openWebhook(keyring, row).clientId, userId: null };
  const orderOwner = computeOrderOwnerTag(keyring, owner);
  const viewer = { owner: computeCaseOwnerTag(keyring, owner), words_tag: null };
  const isEnding = row.state === 'ending';
  const listIds = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  // Writers that did not see the change of the webhook have finished after this, so the pages include their rows.
  await awaitWriters(store, 'orders');
  await awaitWriters(store, 'cases');
  // Orders and cases in separate transactions: a shared transaction id would link them.
  await changePages(store, row, {
    list: (records, page) => listOrdersByOwner(records, orderOwner, page),
    getTime: ({ created_at: at }) => cutToDay(at),
    change: async (records, orders) => {
      if (isEnding) return await deleteOrderWebhooks(records, listIds(orders));
      for (const order of orders) await linkOrderToWebhook(records, keyring, order, owner);
    },
  });
  await changePages(store, row, {
    list: (records, page) => listCasesForViewer(records, viewer, page, clock.now()),
    getTime: ({ submitted_at: at }) => at,
    change: async (records, cases) => {
      if (isEnding) return await deleteCaseWebhooks(records, listIds(cases));
      for (const record of cases)
        await linkCaseToWebhook(records, keyring, { record, clientId: owner.clientId, now: clock.now() });
    },
  });
  await store.transaction((records) =>
    isEnding ? deleteEndedWebhook(records, row.id) : settleMarkedWebhook(records, row.id),
  );
}

interface PageWork<Row> {
  readonly list: (records: Records, page: PageRequest) => Promise<readonly Row[]>;
  /** The time by which the rows are listed. */
  readonly getTime: (row: Row) => number;
  readonly change: (records: Records, rows: readonly Row[]) => Promise<void>;
}

async function changePages<Row extends { readonly id: string }>(
  store: Services['store'],
  webhook: Webhook,
  { list, getTime, change }: PageWork<Row>,
): Promise<void> {
  let after: PageCursor | undefined;
  do {
    const page = { limit: BATCH, after };
    after = await store.transaction(async (records) => {
      if (!(await isWebhookInState(records, webhook))) return undefined;
      const rows = await list(records, page);
      await change(records, rows);
      const last = rows.length < BATCH ? undefined : rows.at(-1);
      return last && { at: getTime(last), id: last.id };
    });
    await giveWay();
  } while (after !== undefined);
}
