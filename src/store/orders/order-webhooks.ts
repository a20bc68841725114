/** Orders that are not paid yet and whose client is told when they are. */
import type { Selectable } from 'kysely';
import type { Records, Tables } from '../schema/tables.ts';

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
