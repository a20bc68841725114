/** Orders that are not paid yet and whose client is told when they are. */
import type { Selectable } from 'kysely';
import type { Records, Tables } from '../schema/tables.ts';

export type OrderWebhook = Selectable<Tables['order_webhooks']>;

/** A row that is there already stays as it is. */
export async function upsertOrderWebhook(records: Records, row: OrderWebhook): Promise<void> {
  await records
    .insertInto('order_webhooks')
    .values(row)
    .onConflict((conflict) => conflict.column('order_id').doNothing())
    .execute();
}

/** Deletes it: it is of use once. */
export async function takeOrderWebhook(records: Records, orderId: string): Promise<OrderWebhook | undefined> {
  return await records
    .deleteFrom('order_webhooks')
    .where('order_id', '=', orderId)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteOrderWebhooks(records: Records, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length > 0)
    await records.deleteFrom('order_webhooks').where('order_id', 'in', orderIds).execute();
}
