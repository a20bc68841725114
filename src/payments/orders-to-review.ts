/** A page of the orders to review. Its cursor is an id: the time of an order could be linked to a case. */

import { findOrder, type Order } from '#store/orders/orders.ts';
import { listOrdersToReview } from '#store/orders/orders-to-review.ts';
import type { Records } from '#store/schema/tables.ts';

interface ReviewPage {
  readonly orders: readonly Order[];
  /** The id of the last order of this page; null on the last page. */
  readonly next: string | null;
}

/** Oldest first. Null if there is no order with the id `after`. */
export async function readOrdersToReview(
  records: Records,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<ReviewPage | null> {
  const last = after === undefined ? undefined : await findOrder(records, after);
  if (after !== undefined && !last) return null;
  const found = await listOrdersToReview(records, {
    limit: limit + 1,
    after: last && { at: last.created_at, id: last.id },
  });
  const orders = found.slice(0, limit);
  return { orders, next: found.length > limit ? (orders.at(-1)?.id ?? null) : null };
}
