/** Commands for orders that need somebody's hand: list them, and mark them as looked at. */
import { markOrdersAttended } from '#payments/order-decisions.ts';
import { getOrderTrouble } from '#payments/order-trouble.ts';
import { toIsoTime } from '#platform/iso-time.ts';
import { listUnattendedOrders } from '#store/attended-orders.ts';
import type { Order } from '#store/orders.ts';
import { formatDayOrDash } from './case-facts.ts';
import { withStore } from './cli-services.ts';
import { createCommand, requireOperand } from './command.ts';
import { formatCount } from './count-text.ts';
import { formatTable } from './table.ts';

export const listTroubledOrdersCommand = createCommand({
  usage: 'orders list',
  about: `List the orders that need somebody's hand, the oldest first. No key is needed.
quarantined: the payment is not what was sold; disputed: a dispute is open; held: see \`orders held\`.
ORDER is the client reference id of the payment in the dashboard of the provider.`,
  options: {},
  operands: 0,
  work: async () =>
    await withStore(async ({ store }) => {
      const orders = await listUnattendedOrders(store.records);
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
            : formatTable(['ORDER', 'TIER', 'WHY', 'MADE ON'], cells),
        json: { orders: orders.map(toTroubledOrderJson) },
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
