/** Orders that are not paid yet and whose client is told when they are. */
import type { Selectable } from 'kysely';
import type { Records, Tables } from './tables.ts';

export type OrderCallback = Selectable<Tables['order_callbacks']>;

/** A row that is there already stays as it is. */
export async function upsertOrderCallback(records: Records, row: OrderCallback): Promise<void> {
  await records
    .insertInto('order_callbacks')
    .values(row)
    .onConflict((conflict) => conflict.column('order_id').doNothing())
    .execute();
}

/** Deletes it: it is of use once. */
export async function takeOrderCallback(
  records: Records,
  orderId: string,
): Promise<OrderCallback | undefined> {
  return await records
    .deleteFrom('order_callbacks')
    .where('order_id', '=', orderId)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteOrderCallbacks(records: Records, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length > 0)
    await records.deleteFrom('order_callbacks').where('order_id', 'in', orderIds).execute();
}

/** In the order of their ids. */
export async function listOrderCallbacks(
  records: Records,
  after: OrderCallback | null,
  limit: number,
): Promise<OrderCallback[]> {
  return await records
    .selectFrom('order_callbacks')
    .selectAll()
    .where('order_id', '>', after?.order_id ?? '')
    .orderBy('order_id')
    .limit(limit)
    .execute();
}

/** Changes nothing if the box is no longer as it was read; returns whether it did. */
export async function replaceOrderCallbackBox(
  records: Records,
  { order_id, client_box: former }: OrderCallback,
  box: Uint8Array,
): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('order_callbacks')
    .set({ client_box: box })
    .where('order_id', '=', order_id)
    .where('client_box', '=', former)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
