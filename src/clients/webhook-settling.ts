/** Updates the orders and cases of a client when its webhook is set or removed, in batches. */
import { computeCaseOwnerTag } from '#cases/access.ts';
import { linkCaseToWebhook } from '#cases/case-events.ts';
import { linkOrderToWebhook } from '#payments/order-events.ts';
import { toErrorTrace } from '#platform/log.ts';
import type { PageCursor } from '#platform/page-cursor.ts';
import { cutToDay } from '#platform/text/day.ts';
import { giveWay } from '#platform/turns.ts';
import type { Services } from '#services.ts';
import { deleteCaseWebhooks } from '#store/cases/case-webhooks.ts';
import { type Case, listCasesForViewer } from '#store/cases/cases.ts';
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
import { listOrdersByOwner, type Order } from '#store/orders/orders.ts';
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
  const { keyring, store } = services;
  const { clientId } = openWebhook(keyring, row);
  const isEnding = row.state === 'ending';
  const work = isEnding ? createUnlinking() : createLinking(services, clientId);
  const pages = listPages(services, clientId, work);
  // Writers that did not see the change of the webhook have finished after this, so the pages include their rows.
  await awaitWriters(store, 'orders');
  await awaitWriters(store, 'cases');
  // Orders and cases in separate transactions: a shared transaction id would link them.
  for (const page of pages)
    await readPages(store, async (records, after) =>
      (await isWebhookInState(records, row)) ? await page(records, after) : undefined,
    );
  await store.transaction((records) =>
    isEnding ? deleteEndedWebhook(records, row.id) : settleMarkedWebhook(records, row.id),
  );
}

interface PageWork {
  readonly orders: (records: Records, rows: readonly Order[]) => Promise<void>;
  readonly cases: (records: Records, rows: readonly Case[]) => Promise<void>;
}

function createLinking({ clock, keyring }: SettlingServices, clientId: string): PageWork {
  return {
    orders: async (records, orders) => {
      for (const order of orders)
        await linkOrderToWebhook(records, keyring, order, { clientId, userId: null });
    },
    cases: async (records, cases) => {
      for (const record of cases)
        await linkCaseToWebhook(records, keyring, { record, clientId, now: clock.now() });
    },
  };
}

function createUnlinking(): PageWork {
  const listIds = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  return {
    orders: (records, orders) => deleteOrderWebhooks(records, listIds(orders)),
    cases: (records, cases) => deleteCaseWebhooks(records, listIds(cases)),
  };
}

/** Returns where the next page begins; undefined after the last. */
type PageStep = (records: Records, after: PageCursor | undefined) => Promise<PageCursor | undefined>;

function listPages(
  { clock, keyring }: SettlingServices,
  clientId: string,
  work: PageWork,
): readonly PageStep[] {
  const owner = { clientId, userId: null };
  const orderOwner = computeOrderOwnerTag(keyring, owner);
  const viewer = { owner: computeCaseOwnerTag(keyring, owner), words_tag: null };
  return [
    async (records, after) => {
      const rows = await listOrdersByOwner(records, orderOwner, { limit: BATCH, after });
      await work.orders(records, rows);
      return toCursor(rows, ({ created_at: at }) => cutToDay(at));
    },
    async (records, after) => {
      const rows = await listCasesForViewer(records, viewer, { limit: BATCH, after }, clock.now());
      await work.cases(records, rows);
      return toCursor(rows, ({ submitted_at: at }) => at);
    },
  ];
}

function toCursor<Row extends { readonly id: string }>(
  rows: readonly Row[],
  getTime: (row: Row) => number,
): PageCursor | undefined {
  const last = rows.length < BATCH ? undefined : rows.at(-1);
  return last && { at: getTime(last), id: last.id };
}

async function readPages(store: Services['store'], step: PageStep): Promise<void> {
  let after: PageCursor | undefined;
  do {
    const from = after;
    after = await store.transaction((records) => step(records, from));
    await giveWay();
  } while (after !== undefined);
}
