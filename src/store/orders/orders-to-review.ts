/** Orders that need review: a payment that does not match, an open dispute, or on hold after a restore. */
import { sql } from 'kysely';
import type { PageRequest } from '#platform/page-cursor.ts';
import { countSelected, limitToPage, updateRows, upsertRow } from '../engine/selected-rows.ts';
import type { PaymentState } from '../schema/column-values.ts';
import type { Records } from '../schema/tables.ts';
import type { Order } from './orders.ts';

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

/** No other state follows these. */
const FINAL_STATES = ['expired', 'quarantined'] as const;

/** Written out, as in the partial index, which SQLite would not use otherwise. */
const isOnHold = sql<boolean>`on_hold = 1`;

/** Holds every order that is or may still become spendable, and makes a check with the provider due at once. */
export async function holdUnusedOrders(
  records: Records,
  now: number,
): Promise<{ paid: number; other: number }> {
  const onHold = await records
    .updateTable('orders')
    .set({ on_hold: 1, check_at: now })
    .where('redeemed', '=', 0)
    .where('payment', 'not in', FINAL_STATES)
    .returning('payment')
    .execute();
  const paid = onHold.filter(({ payment }) => payment === 'paid').length;
  return { paid, other: onHold.length - paid };
}

/** The oldest first. */
export async function listOrdersOnHold(records: Records): Promise<Order[]> {
  return await records
    .selectFrom('orders')
    .selectAll()
    .where(isOnHold)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** True until the provider has reported, since the restore, how the payment ended; also while it is still open. */
export function isUnchecked({ check_at }: Pick<Order, 'check_at'>): boolean {
  return check_at !== null;
}

export async function releaseOrderOnHold(records: Records, id: string): Promise<void> {
  await updateRows(records, 'orders', { id, on_hold: 1 }, { on_hold: 0 });
}
