/** Orders: what was bought and how its payment stands. Nothing here tells which case, if any, came of it. */
import type { Insertable, Selectable } from 'kysely';
import type { Records, Tables } from './tables.ts';

export type Order = Selectable<Tables['orders']>;

export async function insertOrder(records: Records, order: Insertable<Tables['orders']>): Promise<void> {
  await records.insertInto('orders').values(order).execute();
}

export async function findOrder(records: Records, id: string): Promise<Order | undefined> {
  return await records.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst();
}

export interface Page {
  readonly after?: Pick<Order, 'created_at' | 'id'>;
  readonly limit: number;
}

/** Newest first, by keyset: the cost of a page does not grow with the number of pages before it. */
export async function ordersOf(records: Records, owner: string, { after, limit }: Page): Promise<Order[]> {
  let query = records
    .selectFrom('orders')
    .selectAll()
    .where('owner', '=', owner)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (after)
    query = query.where((where) =>
      where(where.refTuple('created_at', 'id'), '<', where.tuple(after.created_at, after.id)),
    );
  return await query.execute();
}
