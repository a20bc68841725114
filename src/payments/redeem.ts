/** Spends a paid order on the one inquiry that it buys. */
import type { Keyring } from '#store/keyring.ts';
import { redeemOrderByOwner, redeemOrderBySession } from '#store/orders.ts';
import type { Records } from '#store/tables.ts';
import { computeOrderOwnerTag } from './owner.ts';
import { computeSessionTag } from './session-id.ts';
import type { TierName } from './tiers.ts';

/** What shows a payment: the provider's session, which whoever paid has, or the order to the client that made it. */
export type Voucher =
  | { readonly sessionId: string }
  | { readonly orderId: string; readonly clientId: string };

export interface Redemption {
  /** For the sealed inquiry alone: stored anywhere else it would join order and case. */
  readonly orderId: string;
  readonly tier: TierName;
}

/**
 * In the caller's transaction, so that the inquiry and its payment are spent together or not at all. Null if the
 * order is not paid or was spent. Neither a time nor a number of the case is left in the order.
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
          owner: computeOrderOwnerTag(keyring, voucher.clientId),
        });
  return order ? { orderId: order.id, tier: order.tier as TierName } : null;
}
