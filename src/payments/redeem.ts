/** Redeems a paid order for the one inquiry that it pays for. */
import type { Keyring } from '#store/keyring.ts';
import { redeemOrderByOwner, redeemOrderBySession } from '#store/orders.ts';
import type { Records } from '#store/tables.ts';
import { computeOrderOwnerTag, type RecordOwner } from './owner.ts';
import { computeSessionTag } from './session-id.ts';
import type { TierName } from './tiers.ts';

/** Proves a payment: the provider's session, which the buyer knows, or an order together with its owner. */
export type Voucher =
  | { readonly sessionId: string }
  | { readonly orderId: string; readonly owner: RecordOwner };

export interface Redemption {
  /** Only for the sealed inquiry: stored anywhere else it would link order and case. */
  readonly orderId: string;
  readonly tier: TierName;
}

/**
 * Runs in the caller's transaction, so that the inquiry is stored and the order redeemed together or not at all.
 * Returns null if the order is not paid or already redeemed. Records no time and no case id in the order.
 */
export async function redeemVoucher(
  records: Records,
  keyring: Keyring,
  voucher: Voucher,
): Promise<Redemption | null> {
  const order =
    'sessionId' in voucher
      ? await redeemOrderBySession(records, computeSessionTag(keyring, voucher.sessionId))
      : await redeemOrderByOwner(records, {
          id: voucher.orderId,
          owner: computeOrderOwnerTag(keyring, voucher.owner),
        });
  return order ? { orderId: order.id, tier: order.tier as TierName } : null;
}
