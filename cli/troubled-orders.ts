/** Commands for orders that need somebody's hand: list them, explain one, and mark them as looked at. */
import { markOrdersAttended } from '#payments/order-decisions.ts';
import { explainOrder, explainOrderTrouble } from '#payments/order-trouble.ts';
import { readUnattendedOrders } from '#payments/unattended-orders.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { toIsoTime } from '#platform/iso-time.ts';
import { findOrder, type Order } from '#store/orders.ts';
import { formatDayOrDash } from './case-facts.ts';
import { withStore } from './cli-services.ts';
import { createCommand, createUsageFailure, requireOperand } from './command.ts';
import { formatCount } from './count-text.ts';
import { formatNextPageHint, pagingOptions, parsePageLimit } from './list-pages.ts';
import { formatPairs, formatTable } from './table.ts';

export const listTroubledOrdersCommand = createCommand({
  usage: 'orders list [--limit N] [--after ID]',
  about: `List the orders that need somebody's hand, the oldest first. No key is needed.
quarantined: the payment is not what was sold; disputed: a dispute is open; held: see \`orders held\`.
ORDER is the client reference id of the payment in the dashboard of the provider.`,
  help: [
    ['--limit N', 'how many to list (default 50)'],
    ['--after ID', 'continue after the last order of the previous page'],
  ],
  options: pagingOptions,
  operands: 0,
  work: async ({ limit: limitText, after }) => {
    const limit = parsePageLimit(limitText);
    return await withStore(async ({ store }) => {
      const page = await readUnattendedOrders(store.records, { limit, after });
      if (page === null) throw createUsageFailure('--after takes the id that the previous page printed');
      const { orders, next } = page;
      const cells = orders.map((order) => [
        order.id,
        order.tier,
        explainOrder(order).why,
        formatDayOrDash(order.created_at),
      ]);
      return {
        text:
          cells.length === 0
            ? 'No order needs a hand.\n'
            : formatTable(['ORDER', 'TIER', 'WHY', 'MADE ON'], cells) + formatNextPageHint(next),
        json: { orders: orders.map(toTroubledOrderJson), next },
      };
    });
  },
});

export const showTroubledOrderCommand = createCommand({
  usage: 'orders show ID',
  about: `Show what is wrong with an order, and what to do about it. No key is needed.
No order leads to a case.`,
  options: {},
  operands: 1,
  work: async (_values, [operand]) =>
    await withStore(async ({ store }) => {
      const id = requireOperand(operand, 'ID');
      const order = await findOrder(store.records, id);
      if (!order || !isTroubled(order))
        throw new ProgramError(`${id}: there is no such order that needs a hand`, EXIT_CODES.failure);
      const { tier, why, explanation } = explainOrder(order);
      return {
        text: formatPairs([
          ['Order', id],
          ['Tier', tier],
          ['Why', why],
          ['Made on', formatDayOrDash(order.created_at)],
          ['Meaning', explanation],
        ]),
        json: { order: { ...toTroubledOrderJson(order), explanation } },
      };
    }),
});

/** What is paid and not held is in order. */
function isTroubled(order: Order): boolean {
  return order.held === 1 || (order.payment !== 'paid' && explainOrderTrouble(order) !== '');
}

export const markOrdersAttendedCommand = createCommand({
  usage: 'orders done ID…',
  about: `Mark quarantined or disputed orders as looked at. They are listed again when their payment changes.
Nothing else changes; a refund is made in the dashboard of the provider.`,
  options: {},
  operands: Number.POSITIVE_INFINITY,
  work: async (_values, ids) => {
    requireOperand(ids[0], 'ID');
    const marked = [...new Set(ids)];
    return await withStore(async (services) => {
      await markOrdersAttended(services, marked, null);
      return { text: `Done: ${formatCount(marked.length, 'orders')}.\n`, json: { done: marked } };
    });
  },
});

/** Scripts rely on these names and formats, so they must not change. */
function toTroubledOrderJson(order: Order) {
  const { id, tier, why } = explainOrder(order);
  return { id, tier, why, created_at: toIsoTime(order.created_at) };
}
