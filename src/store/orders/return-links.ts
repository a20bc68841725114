/** Return links to forms paid for but not sent: which are due, and the hash by which a link finds its order. */
import { prepareFind } from '../engine/prepared.ts';
import { claimDueRows, updateRows } from '../engine/selected-rows.ts';
import type { Records } from '../schema/tables.ts';
import type { Order } from './orders.ts';

/** Claims orders whose e-mail is due. An order on hold after a restore waits for its release: it may have been used. */
export async function claimDueReturnLinks(
  records: Records,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Pick<Order, 'id'>[]> {
  const due = { column: 'return_link_at', now, limit, match: { on_hold: 0 } } as const;
  return await claimDueRows(records, 'orders', due, { return_link_at: null });
}

/** Returns false unless the order came from the website after that time and can be used. */
export async function makeReturnLinkDue(
  records: Records,
  { id, now, after }: { readonly id: string; readonly now: number; readonly after: number },
): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('orders')
    .set({ return_link_at: now })
    .where('id', '=', id)
    .where('payment', '=', 'paid')
    .where('redeemed', '=', 0)
    .where('on_hold', '=', 0)
    .where('owner', 'is', null)
    .where('created_at', '>', after)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes the e-mail due again, once the order is no longer on hold. */
export async function postponeReturnLink(
  records: Records,
  { id }: Pick<Order, 'id'>,
  now: number,
): Promise<void> {
  await updateRows(records, 'orders', { id, on_hold: 1 }, { return_link_at: now });
}

/** Returns false if the order can no longer be used for an inquiry. */
export async function setReturnLinkHash(records: Records, id: string, hash: string): Promise<boolean> {
  const usable = { id, payment: 'paid', redeemed: 0 } as const;
  return await updateRows(records, 'orders', usable, { return_link_hash: hash });
}

export const findOrderByReturnLink = prepareFind('orders', 'return_link_hash');
