/** Commands for orders that need somebody's hand: list them, explain one, and mark them as looked at. */
import { cutIsoDay } from '#platform/iso-time.ts';
import { createCommand, requireOperand } from './command.ts';
import { formatCount } from './count-text.ts';
import { formatNextPageHint, pagingOptions, parsePageLimit } from './list-pages.ts';
import { type TroubledOrder, withOrderSource } from './order-source.ts';
import { officeAloneHelp, officeKeyOptions, readOfficeAlone } from './pinning-key.ts';
import { formatPairs, formatTable } from './table.ts';

export const listTroubledOrdersCommand = createCommand({
  usage: 'orders list [--limit N] [--after ID]',
  about: `List the orders that need somebody's hand, the oldest first. No key is needed.
quarantined: the payment is not what was sold; disputed: a dispute is open; held: see \`orders held\`.
ORDER is the client reference id of the payment in the dashboard of the provider.`,
  help: [
    ['--limit N', 'how many to list (default 50)'],
    ['--after ID', 'continue after the last order of the previous page'],
    ...officeAloneHelp,
  ],
  options: { ...pagingOptions, ...officeKeyOptions },
  operands: 0,
  work: async ({ limit: limitText, after, ...values }) => {
    const limit = parsePageLimit(limitText);
    return await withOrderSource(await readOfficeAlone(values), async ({ listOrders }) => {
      const { orders, next } = await listOrders({ limit, after });
      const cells = orders.map(({ id, tier, why, created_at: made }) => [id, tier, why, cutIsoDay(made)]);
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
  help: officeAloneHelp,
  options: officeKeyOptions,
  operands: 1,
  work: async (values, [id]) =>
    await withOrderSource(await readOfficeAlone(values), async ({ requireOrder }) => {
      const order = await requireOrder(requireOperand(id, 'ID'));
      return {
        text: formatPairs([
          ['Order', order.id],
          ['Tier', order.tier],
          ['Why', order.why],
          ['Made on', cutIsoDay(order.created_at)],
          ['Meaning', order.explanation],
        ]),
        json: { order: { ...toTroubledOrderJson(order), explanation: order.explanation } },
      };
    }),
});

export const markOrdersAttendedCommand = createCommand({
  usage: 'orders done ID…',
  about: `Mark quarantined or disputed orders as looked at. They are listed again when their payment changes.
Nothing else changes; a refund is made in the dashboard of the provider.`,
  help: officeAloneHelp,
  options: officeKeyOptions,
  operands: Number.POSITIVE_INFINITY,
  work: async (values, ids) => {
    requireOperand(ids[0], 'ID');
    const marked = [...new Set(ids)];
    return await withOrderSource(await readOfficeAlone(values), async ({ markDone }) => {
      await markDone(marked);
      return { text: `Done: ${formatCount(marked.length, 'orders')}.\n`, json: { done: marked } };
    });
  },
});

/** Scripts rely on these names and formats, so they must not change. */
function toTroubledOrderJson({ id, tier, why, created_at }: TroubledOrder) {
  return { id, tier, why, created_at };
}
