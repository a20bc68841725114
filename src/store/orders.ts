/** Orders: what was bought and the state of its payment. Nothing here leads to the case that an order paid for. */
import type { Insertable, Selectable } from 'kysely';
import type { PageRequest } from '#platform/page-cursor.ts';
import type { PaymentState } from './column-values.ts';
import { limitToPage } from './keyset-page.ts';
import type { Records, Tables } from './tables.ts';

export type Order = Selectable<Tables['orders']>;

export async function insertOrder(records: Records, order: Insertable<Tables['orders']>): Promise<void> {
  await records.insertInto('orders').values(order).execute();
}

export async function findOrder(records: Records, id: string): Promise<Order | undefined> {
  return await records.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findOrderBySession(records: Records, sessionTag: string): Promise<Order | undefined> {
  return await records
    .selectFrom('orders')
    .selectAll()
    .where('session_tag', '=', sessionTag)
    .executeTakeFirst();
}

/** Returns false if the order already has a session. */
export async function bindOrderSession(
  records: Records,
  id: string,
  session: { readonly tag: string; readonly box: Uint8Array },
): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('orders')
    .set({ session_tag: session.tag, session_box: session.box })
    .where('id', '=', id)
    .where('session_tag', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

interface PaymentChange {
  readonly to: PaymentState;
  readonly checkAt: number | null;
}

/** Returns false if the order has changed since it was read. */
export async function updateOrderPayment(
  records: Records,
  { id, revision }: Pick<Order, 'id' | 'revision'>,
  { to, checkAt }: PaymentChange,
): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('orders')
    .set({ payment: to, check_at: checkAt, revision: revision + 1 })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** True if the session's order is paid and not yet redeemed. */
export async function hasRedeemableOrder(records: Records, sessionTag: string): Promise<boolean> {
  const row = await records
    .selectFrom('orders')
    .select('id')
    .where('session_tag', '=', sessionTag)
    .where('payment', '=', 'paid')
    .where('redeemed', '=', 0)
    .executeTakeFirst();
  return row !== undefined;
}

/** Redeems a paid order for its one inquiry; returns undefined if it is not paid or already redeemed. */
export async function redeemOrderBySession(
  records: Records,
  sessionTag: string,
): Promise<Pick<Order, 'id' | 'tier'> | undefined> {
  return await records
    .updateTable('orders')
    .set({ redeemed: 1 })
    .where('session_tag', '=', sessionTag)
    .where('payment', '=', 'paid')
    .where('redeemed', '=', 0)
    .returning(['id', 'tier'])
    .executeTakeFirst();
}

/** Does the same by order id, for the client that made the order. */
export async function redeemOrderByOwner(
  records: Records,
  { id, owner }: { readonly id: string; readonly owner: string },
): Promise<Pick<Order, 'id' | 'tier'> | undefined> {
  return await records
    .updateTable('orders')
    .set({ redeemed: 1 })
    .where('id', '=', id)
    .where('owner', '=', owner)
    .where('payment', '=', 'paid')
    .where('redeemed', '=', 0)
    .returning(['id', 'tier'])
    .executeTakeFirst();
}

/** Claims orders that are due for a check; no other process gets them before `until`. */
export async function claimOrdersToCheck(
  records: Records,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<Order[]> {
  const due = records
    .selectFrom('orders')
    .select('id')
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(limit);
  return await records
    .updateTable('orders')
    .set({ check_at: until })
    .where('id', 'in', due)
    // Repeated outside the subquery: under READ COMMITTED, PostgreSQL re-checks only the row.
    .where('check_at', '<=', now)
    .returningAll()
    .execute();
}

export async function postponeOrderCheck(records: Records, id: string, until: number): Promise<void> {
  await records
    .updateTable('orders')
    .set({ check_at: Math.round(until) })
    .where('id', '=', id)
    .where('check_at', 'is not', null)
    .execute();
}

/** Newest first. */
export async function listOrdersByOwner(
  records: Records,
  owner: string,
  page: PageRequest,
): Promise<Order[]> {
  const query = records.selectFrom('orders').selectAll().where('owner', '=', owner);
  return await limitToPage(query, { by: 'created_at', direction: 'desc' }, page).execute();
}
