/** Spends a paid order on the one inquiry that it buys. */
import type { Keyring } from '#store/keyring.ts';
import { redeemOrder } from '#store/orders.ts';
import type { Records } from '#store/tables.ts';
import { sessionTag } from './session-id.ts';
import type { TierName } from './tiers.ts';

export interface Redemption {
  /** For the sealed inquiry alone: stored anywhere else it would join order and case. */
  readonly orderId: string;
  readonly tier: TierName;
}

/**
 * In the caller's transaction, so that the inquiry and its payment are spent together or not at all. Null if the
 * order is not paid or was spent. Neither a time nor a number of the case is left in the order.
 */
export async function redeem(
  records: Records,
  keyring: Keyring,
  sessionId: string,
): Promise<Redemption | null> {
  const order = await redeemOrder(records, sessionTag(keyring, sessionId));
  return order ? { orderId: order.id, tier: order.tier as TierName } : null;
}
