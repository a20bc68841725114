/** Orders that need somebody's hand: a payment that does not match, an open dispute, or held by a restore. */
import type { PaymentState } from './column-values.ts';
import type { Order } from './orders.ts';
import type { Records } from './tables.ts';

/** The service cannot settle these by itself. */
const TROUBLED_STATES: readonly PaymentState[] = ['quarantined', 'disputed'];

function selectUnattendedOrders(records: Records) {
  return records
    .selectFrom('orders')
    .leftJoin('attended_orders', 'attended_orders.order_id', 'orders.id')
    .where((row) =>
      row.or([
        row.and([row('held', '=', 1), row('payment', '=', 'paid'), row('redeemed', '=', 0)]),
        row.and([
          row('payment', 'in', TROUBLED_STATES),
          row.or([
            row('attended_orders.revision', 'is', null),
            row('attended_orders.revision', '<>', row.ref('orders.revision')),
          ]),
        ]),
      ]),
    );
}

export async function countUnattendedOrders(records: Records): Promise<number> {
  const { count } = await selectUnattendedOrders(records)
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The oldest day first. */
export async function listUnattendedOrders(records: Records): Promise<Order[]> {
  return await selectUnattendedOrders(records)
    .selectAll('orders')
    .orderBy('orders.created_at')
    .orderBy('orders.id')
    .execute();
}

/** Until its payment changes again. Returns false if it needs no hand, or not this one: a held order is released. */
export async function markOrderAttended(records: Records, id: string): Promise<boolean> {
  const order = await selectUnattendedOrders(records)
    .select('orders.revision as revision')
    .where('orders.id', '=', id)
    .where('payment', 'in', TROUBLED_STATES)
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
