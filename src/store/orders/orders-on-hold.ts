/** Orders that a restore puts on hold: paid and unused at the time of the backup, perhaps used since. */
import { sql } from 'kysely';
import { updateRows } from '../engine/selected-rows.ts';
import type { Records } from '../schema/tables.ts';
import type { Order } from './orders.ts';

/** No other state follows these. */
const FINAL_STATES = ['expired', 'quarantined'] as const;

/** Written out, as in the partial index, which SQLite would not use otherwise. */
export const isOnHold = sql<boolean>`on_hold = 1`;

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
