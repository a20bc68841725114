/** Commands for orders: review them, release those that a restore has put on hold, and help a payer who is stuck. */
import {
  explainOrderTrouble,
  getOrderTrouble,
  markOrdersReviewed,
  readOrdersToReview,
  releaseOrders,
} from '#payments/order-decisions.ts';
import { requestReturnLink } from '#payments/return-link.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { findOrder, type Order } from '#store/orders/orders.ts';
import { isUnchecked, listOrdersOnHold } from '#store/orders/orders-to-review.ts';
import type { Records } from '#store/schema/tables.ts';
import { type CliServices, withStore } from './cli-services.ts';
import { type CommandReport, createCommand, createUsageFailure, requireOperand } from './command.ts';
import {
  formatNextPageHint,
  parsePageLimit,
  readBulkSelection,
  requireBulkConfirmation,
} from './selection.ts';
import { formatCount, formatDayOrDash, formatPairs, formatTable } from './terminal/table.ts';

export const remindPayerCommand = createCommand({
  usage: 'orders remind ID',
  about: `Send the payer of an unused order the link to its form again. No key is needed.
ID is the client reference id of the payment in the provider's dashboard.
The running service sends it to the address that the provider has; earlier links stop working.`,
  operands: 1,
  work: async (_values, [operand]) => {
    const id = requireOperand(operand, 'ID');
    return await withStore(async (services) => {
      if (!(await requestReturnLink(services, id)))
        throw new ProgramError(
          `${id}: no website order with this id is paid, unused, not on hold and at most ${FORM_DAYS} days old; nothing was changed`,
        );
      return { text: 'The service sends the link within a minute or so.\n', json: { reminded: id } };
    });
  },
});

export const listOrdersCommand = createCommand({
  usage: 'orders list [--limit N] [--after ID] | orders list --held',
  about: `List the orders that need review, oldest first. No key is needed.
quarantined: the payment does not match what was sold; disputed: a dispute is open; held: see --held.
ORDER is the client reference id of the payment in the provider's dashboard.`,
  options: [
    ['--limit N', 'how many to list (default 50)'],
    ['--after ID', 'continue after the last order of the previous page'],
    [
      '--held',
      'list all orders that a restore put on hold, paid or not, and whether the provider was asked about them;\neach was unused at the time of the backup, but may have been used afterwards',
    ],
  ],
  work: async ({ limit: limitText, after, held }) => {
    if (held && (limitText ?? after) !== undefined)
      throw createUsageFailure('--held lists every order on hold, so it takes neither --limit nor --after');
    const limit = parsePageLimit(limitText);
    return await withStore(({ store }) =>
      held ? listOrdersHeld(store.records) : listOrdersInReview(store.records, limit, after),
    );
  },
});

async function listOrdersInReview(records: Records, limit: number, after?: string): Promise<CommandReport> {
  const page = await readOrdersToReview(records, { limit, after });
  if (page === null) throw createUsageFailure('--after takes the id that the previous page printed');
  const { orders, next } = page;
  const cells = orders.map((order) => [
    order.id,
    order.tier,
    getOrderTrouble(order),
    formatDayOrDash(order.created_at),
  ]);
  const heads = ['ORDER', 'TIER', 'WHY', 'MADE ON'];
  return {
    text:
      cells.length === 0 ? 'No order needs review.\n' : formatTable(heads, cells) + formatNextPageHint(next),
    json: { orders: orders.map(toTroubledOrderJson), next },
  };
}

async function listOrdersHeld(records: Records): Promise<CommandReport> {
  const orders = await listOrdersOnHold(records);
  const cells = orders.map((order) => [
    order.id,
    order.tier,
    order.payment,
    formatDayOrDash(order.created_at),
    isUnchecked(order) ? 'not yet' : 'yes',
  ]);
  const heads = ['ORDER', 'TIER', 'PAYMENT', 'MADE ON', 'ASKED PROVIDER'];
  return {
    text: cells.length === 0 ? 'No order is on hold.\n' : formatTable(heads, cells),
    json: { orders: orders.map(toOrderOnHoldJson) },
  };
}

export const showTroubledOrderCommand = createCommand({
  usage: 'orders show ID',
  about: `Show what is wrong with an order, and what to do about it. No key is needed.
An order cannot be traced to a case.`,
  operands: 1,
  work: async (_values, [operand]) =>
    await withStore(async ({ store }) => {
      const id = requireOperand(operand, 'ID');
      const order = await findOrder(store.records, id);
      if (!order || !isTroubled(order)) throw new ProgramError(`${id}: no order with this id needs review`);
      const explanation = explainOrderTrouble(order);
      return {
        text: formatPairs([
          ['Order', id],
          ['Tier', order.tier],
          ['Why', getOrderTrouble(order)],
          ['Made on', formatDayOrDash(order.created_at)],
          ['Meaning', explanation],
        ]),
        json: { order: { ...toTroubledOrderJson(order), explanation } },
      };
    }),
});

export const markOrdersReviewedCommand = createCommand({
  usage: 'orders done ID…',
  about: `Mark quarantined or disputed orders as reviewed. They are listed again when their payment changes.
Nothing else changes; make refunds in the provider's dashboard.`,
  operands: Number.POSITIVE_INFINITY,
  work: async (_values, ids) => {
    requireOperand(ids[0], 'ID');
    const marked = [...new Set(ids)];
    return await withStore(async (services) => {
      await markOrdersReviewed(services, marked, null);
      return { text: `Done: ${formatCount(marked.length, 'orders')}.\n`, json: { done: marked } };
    });
  },
});

export const releaseOrdersCommand = createCommand({
  usage: 'orders release ID… [--unchecked] | orders release --all [--unchecked] [--yes]',
  about: `Release orders on hold, so that they can be used for an inquiry. No key is needed.
An order that was used after the backup could then be used a second time.
Without --unchecked, an order is released only after the running service has asked the provider whether it was refunded.`,
  options: [
    ['--all', 'release every order on hold'],
    ['--unchecked', 'include orders not yet checked with the provider, and those whose payment is pending'],
    ['--yes', 'do not ask for confirmation'],
  ],
  operands: Number.POSITIVE_INFINITY,
  work: async ({ all, yes, unchecked = false }, ids) => {
    const named = readBulkSelection(all, ids);
    return await withStore(async (services) => {
      const held = named ?? (await listOrdersOnHold(services.store.records)).map(({ id }) => id);
      if (named) await requireOnHold(services, named);
      else await requireBulkConfirmation({ count: held.length, what: 'held orders', word: 'release' }, yes);
      const { released, waiting } = await releaseOrders(services, held, { by: null, unchecked });
      return {
        text: `Released: ${formatCount(released.length, 'orders')}.\n`,
        json: { released, waiting },
        fault: waiting === 0 ? undefined : createWaitingFailure(waiting),
      };
    });
  },
});

function createWaitingFailure(count: number): ProgramError {
  return new ProgramError(
    `Still on hold: ${formatCount(count, 'orders')}. Either the provider has not been asked yet: start the service, wait a minute and try again. Or the payment is still open: the provider is then asked again within the hour`,
  );
}

/** Checks all orders before any is changed. */
async function requireOnHold({ store }: CliServices, ids: readonly string[]): Promise<void> {
  const orders = await Promise.all(ids.map((id) => findOrder(store.records, id)));
  const stranger = orders.findIndex((order) => order?.on_hold !== 1);
  if (stranger < 0) return;
  throw new ProgramError(`${ids[stranger]}: not an order on hold; nothing was changed`);
}

function toOrderOnHoldJson(order: Order) {
  const { id, tier, payment, created_at } = order;
  return { id, tier, payment, created_at: toIsoTime(created_at), asked: !isUnchecked(order) };
}

/** A paid order that is not on hold has no trouble. */
function isTroubled(order: Order): boolean {
  return order.on_hold === 1 || (order.payment !== 'paid' && explainOrderTrouble(order) !== '');
}

/** Scripts rely on these names and formats, so they must not change. */
function toTroubledOrderJson(order: Order) {
  const { id, tier, created_at: at } = order;
  return { id, tier, why: getOrderTrouble(order), created_at: toIsoTime(at) };
}
