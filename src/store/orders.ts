/** Orders: what was bought and how its payment stands. Nothing here tells which case, if any, came of it. */
import type { Insertable, Selectable } from 'kysely';
import type { PageRequest } from '#platform/page-cursor.ts';
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

/** False if the order already has a session. */
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

interface Move {
  readonly to: Order['payment'];
  readonly checkAt: number | null;
}

/** False if the order has moved since it was read. */
export async function updateOrderPayment(
  records: Records,
  { id, revision }: Pick<Order, 'id' | 'revision'>,
  { to, checkAt }: Move,
): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('orders')
    .set({ payment: to, check_at: checkAt, revision: revision + 1 })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether an order is paid and was not used. */
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

/** Uses a paid order for the one inquiry that it buys; undefined if it is not paid or was used. */
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

/** The same for whoever bought it. */
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

/** Takes orders whose time to be checked has come; until the given time nobody else gets them. */
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
    // Said again outside: under READ COMMITTED PostgreSQL re-checks this row, not the subquery.
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
