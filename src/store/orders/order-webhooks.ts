/** Unpaid orders whose client is notified once they are paid. */
import { type Insertable, type Selectable, sql } from 'kysely';
import { castBytes, executeTogether, prepareQuery, tryTogether } from '../engine/prepared.ts';
import { deleteRows } from '../engine/selected-rows.ts';
import { claimKey } from '../idempotent-request.ts';
import type { Records, Tables } from '../schema/tables.ts';
import { insertOrder, type Order } from './orders.ts';

export type OrderWebhook = Selectable<Tables['order_webhooks']>;

interface NewOrderWebhook {
  readonly clientTag: string;
  readonly orderId: string;
  readonly ciphertext: Uint8Array;
}

/** Links the order if its client has a webhook. An existing row stays as it is. */
export const linkOrderIfWebhook = prepareQuery<NewOrderWebhook, unknown>(
  (records, { clientTag, orderId, ciphertext }) => ({
    compile: () =>
      sql`insert into order_webhooks (order_id, client_ciphertext)
        select cast(${orderId} as text), ${castBytes(records, ciphertext)}
          from webhooks where client_tag = ${clientTag} and state <> 'ending'
        on conflict (order_id) do nothing`.compile(records),
  }),
);

/** Inserts a client's order with the link to its webhook. */
export async function insertLinkedOrder(
  records: Records,
  order: Order,
  link: NewOrderWebhook | null,
): Promise<void> {
  const placed = insertOrder.compile(records, order);
  if (link === null) await executeTogether(records, {}, placed);
  else await executeTogether(records, { placed }, linkOrderIfWebhook.compile(records, link));
}

/** Also claims the idempotency key, in one PostgreSQL statement; returns false if the key was used before. */
export async function insertKeyedOrder(
  records: Records,
  order: Order,
  link: NewOrderWebhook | null,
  claim: Insertable<Tables['idempotency']>,
): Promise<boolean> {
  const claimed = claimKey.compile(records, claim);
  // Null if the key was used: then the insert fails, because every order has an id.
  const id = sql<string>`(select cast(${order.id} as text) from claimed)`;
  const placed = records
    .insertInto('orders')
    .values({ ...order, id })
    .compile();
  const stored = link
    ? await tryTogether(records, { claimed, placed }, linkOrderIfWebhook.compile(records, link))
    : await tryTogether(records, { claimed }, placed);
  return stored !== null;
}

/** Deletes the link, which is used only once. */
export async function takeOrderWebhook(records: Records, orderId: string): Promise<OrderWebhook | undefined> {
  return await records
    .deleteFrom('order_webhooks')
    .where('order_id', '=', orderId)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteOrderWebhooks(records: Records, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length > 0) await deleteRows(records, 'order_webhooks', { order_id: ['in', orderIds] });
}
