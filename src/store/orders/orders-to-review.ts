/** Orders that need review: a payment that does not match, an open dispute, or on hold after a restore. */
import type { PageRequest } from '#platform/page-cursor.ts';
import { limitToPage } from '../engine/keyset-page.ts';
import { countSelected, upsertRow } from '../engine/selected-rows.ts';
import type { PaymentState } from '../schema/column-values.ts';
import type { Records } from '../schema/tables.ts';
import type { Order } from './orders.ts';
import { isOnHold } from './orders-on-hold.ts';

/** The service cannot settle these by itself. */
const TROUBLED_STATES: readonly PaymentState[] = ['quarantined', 'disputed'];

function selectTroubledOrders(records: Records) {
  return records
    .selectFrom('orders')
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('reviewed_orders')
            .select('order_id')
            .whereRef('order_id', '=', 'orders.id')
            .whereRef('reviewed_orders.revision', '=', 'orders.revision'),
        ),
      ),
    );
}

/** One query for each part, because each has its own index. */
function buildReviewQueries(records: Records) {
  return [
    ...TROUBLED_STATES.map((state) => selectTroubledOrders(records).where('payment', '=', state)),
    records.selectFrom('orders').where(isOnHold).where('payment', '=', 'paid').where('redeemed', '=', 0),
  ];
}

/** Counts no further than the limit. */
export async function countOrdersToReview(
  records: Records,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  let total = 0;
  for (const query of buildReviewQueries(records))
    total += await countSelected(records.selectFrom(query.select('id').limit(limit).as('counted')));
  return Math.min(total, limit);
}

/** The oldest first. */
export async function listOrdersToReview(records: Records, page: PageRequest): Promise<Order[]> {
  const orders: Order[] = [];
  for (const query of buildReviewQueries(records))
    orders.push(
      ...(await limitToPage(query.selectAll(), { by: 'created_at', direction: 'asc' }, page).execute()),
    );
  return orders
    .toSorted((one, other) => one.created_at - other.created_at || (one.id < other.id ? -1 : 1))
    .slice(0, page.limit);
}

/**
 * Marks an order as reviewed until its payment changes again. Returns false if it needs no review, or is
 * on hold and must be released instead.
 */
export async function markOrderReviewed(records: Records, id: string): Promise<boolean> {
  const order = await selectTroubledOrders(records)
    .select('revision')
    .where('id', '=', id)
    .where('payment', 'in', TROUBLED_STATES)
    .executeTakeFirst();
  if (!order) return false;
  const { revision } = order;
  await upsertRow(records, 'reviewed_orders', 'order_id', { order_id: id, revision }, { revision });
  return true;
}
