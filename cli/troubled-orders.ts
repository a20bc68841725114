/** Commands for orders that need somebody's hand: list them, and mark them as looked at. */
import { markOrdersAttended } from '#payments/order-decisions.ts';
import { getOrderTrouble } from '#payments/order-trouble.ts';
import { readUnattendedOrders } from '#payments/unattended-orders.ts';
import { toIsoTime } from '#platform/iso-time.ts';
import type { Order } from '#store/orders.ts';
import { formatDayOrDash } from './case-facts.ts';
import { withStore } from './cli-services.ts';
import { createCommand, createUsageFailure, requireOperand } from './command.ts';
import { formatCount } from './count-text.ts';
import { formatNextPageHint, pagingOptions, parsePageLimit } from './list-pages.ts';
import { formatTable } from './table.ts';

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
  work: async ({ limit, after }) =>
    await withStore(async ({ store }) => {
      const page = await readUnattendedOrders(store.records, { after, limit: parsePageLimit(limit) });
      if (page === null) throw createUsageFailure('--after takes the id that the previous page printed');
      const { orders, next } = page;
      const cells = orders.map((order) => [
        order.id,
        order.tier,
        getOrderTrouble(order),
        formatDayOrDash(order.created_at),
      ]);
      return {
        text:
          cells.length === 0
            ? 'No order needs a hand.\n'
            : formatTable(['ORDER', 'TIER', 'WHY', 'MADE ON'], cells) + formatNextPageHint(next),
        json: { orders: orders.map(toTroubledOrderJson), next },
      };
    }),
});

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
  return {
    id: order.id,
    tier: order.tier,
    why: getOrderTrouble(order),
    created_at: toIsoTime(order.created_at),
  };
}
