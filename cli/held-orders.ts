/** Commands for orders that a restore holds: list them, and release them once they are known to be unused. */
import { type ReleasedOrders, releaseOrders } from '#payments/order-decisions.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { toIsoTime } from '#platform/iso-time.ts';
import { isUnchecked, listHeldOrders } from '#store/held-orders.ts';
import { findOrder, type Order } from '#store/orders.ts';
import { bulkOptions, readBulkSelection, requireBulkConfirmation } from './bulk-selection.ts';
import { formatDayOrDash } from './case-facts.ts';
import { type CliServices, withStore } from './cli-services.ts';
import { type CommandReport, createCommand } from './command.ts';
import { formatCount } from './count-text.ts';
import { formatTable } from './table.ts';

export const listHeldOrdersCommand = createCommand({
  usage: 'orders held',
  about: `List the orders that a restore holds, the oldest first. No key is needed.
Each was unused at the time of the backup. Nobody can know whether it was used afterwards.`,
  options: {},
  operands: 0,
  work: async () =>
    await withStore(async ({ store }) => {
      const orders = await listHeldOrders(store.records);
      const cells = orders.map((order) => [
        order.id,
        order.tier,
        order.payment,
        formatDayOrDash(order.created_at),
        isUnchecked(order) ? 'not yet' : 'yes',
      ]);
      const heads = ['ORDER', 'TIER', 'PAYMENT', 'MADE ON', 'ASKED PROVIDER'];
      return {
        text: cells.length === 0 ? 'No order is held.\n' : formatTable(heads, cells),
        json: { orders: orders.map(toHeldOrderJson) },
      };
    }),
});

export const releaseOrdersCommand = createCommand({
  usage: 'orders release ID… [--unchecked] | orders release --all [--unchecked] [--yes]',
  about: `Let held orders be used for their inquiry. No key is needed.
An order that was used after the backup could then be used a second time.
An order is released only after the running service has asked the provider whether it was paid back.`,
  help: [
    ['--all', 'release every held order'],
    ['--unchecked', 'also those about which the provider was not asked yet, or whose payment is open'],
    ['--yes', 'do not ask for confirmation'],
  ],
  options: { ...bulkOptions, unchecked: { type: 'boolean' } },
  operands: Number.POSITIVE_INFINITY,
  work: async ({ all, yes, unchecked = false }, ids) => {
    const named = readBulkSelection(all, ids);
    return await withStore(async (services) => {
      const held = named ?? (await listHeldOrders(services.store.records)).map(({ id }) => id);
      if (named) await requireHeld(services, named);
      else await requireBulkConfirmation({ count: held.length, what: 'held orders', word: 'release' }, yes);
      return buildReleaseReport(await releaseOrders(services, held, { by: null, unchecked }));
    });
  },
});

/** Before anything is changed. */
async function requireHeld({ store }: CliServices, ids: readonly string[]): Promise<void> {
  const orders = await Promise.all(ids.map((id) => findOrder(store.records, id)));
  const stranger = orders.findIndex((order) => order?.held !== 1);
  if (stranger < 0) return;
  throw new ProgramError(`${ids[stranger]}: not a held order; nothing was changed`, EXIT_CODES.failure);
}

function buildReleaseReport({ released, waiting }: ReleasedOrders): CommandReport {
  return {
    text: `Released: ${formatCount(released.length, 'orders')}.\n`,
    json: { released, waiting },
    fault:
      waiting === 0
        ? undefined
        : new ProgramError(
            `Still held: ${formatCount(waiting, 'orders')}. The provider was not asked yet, or the payment is still open. Start the service, wait a minute, try again`,
            EXIT_CODES.failure,
          ),
  };
}

function toHeldOrderJson(order: Order) {
  const { id, tier, payment, created_at } = order;
  return { id, tier, payment, created_at: toIsoTime(created_at), asked: !isUnchecked(order) };
}
