/** Orders that need somebody's hand: a payment that does not match, an open dispute, or held by a restore. */
import type { PaymentState } from './column-values.ts';
import { isHeld } from './held-orders.ts';
import type { Order } from './orders.ts';
import type { Records } from './tables.ts';

/** The service cannot settle these by itself. */
const TROUBLED_STATES: readonly PaymentState[] = ['quarantined', 'disputed'];

function selectTroubledOrders(records: Records) {
  return records
    .selectFrom('orders')
    .leftJoin('attended_orders', 'attended_orders.order_id', 'orders.id')
    .where('payment', 'in', TROUBLED_STATES)
    .where((row) =>
      row.or([
        row('attended_orders.revision', 'is', null),
        row('attended_orders.revision', '<>', row.ref('orders.revision')),
      ]),
    );
}

function selectUnreleasedOrders(records: Records) {
  return records.selectFrom('orders').where(isHeld).where('payment', '=', 'paid').where('redeemed', '=', 0);
}

/** Two queries, because each has its own index. */
export async function countUnattendedOrders(records: Records): Promise<number> {
  const troubled = await selectTroubledOrders(records)
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  const unreleased = await selectUnreleasedOrders(records)
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(troubled.count) + Number(unreleased.count);
}

/** The oldest day first. */
export async function listUnattendedOrders(records: Records): Promise<Order[]> {
  const troubled = await selectTroubledOrders(records).selectAll('orders').execute();
  const unreleased = await selectUnreleasedOrders(records).selectAll().execute();
  return [...troubled, ...unreleased].toSorted(
    (one, other) => one.created_at - other.created_at || (one.id < other.id ? -1 : 1),
  );
}

/** Until its payment changes again. Returns false if it needs no hand, or not this one: a held order is released. */
export async function markOrderAttended(records: Records, id: string): Promise<boolean> {
  const order = await selectTroubledOrders(records)
    .select('orders.revision as revision')
    .where('orders.id', '=', id)
    .executeTakeFirst();
  if (!order) return false;
  const { revision } = order;
  await records
    .insertInto('attended_orders')
    .values({ order_id: id, revision })
    .onConflict((conflict) => conflict.column('order_id').doUpdateSet({ revision }))
    .execute();
  return true;
}
