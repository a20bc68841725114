/** Redeems a paid order for the one inquiry that it pays for. */
import { ServiceError } from '#platform/errors.ts';
import type { ProblemCode } from '#platform/problems.ts';
import type { Services } from '#services.ts';
import type { PaidCase } from '#store/cases/paid-case.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import {
  findOrder,
  findOrderBySession,
  type Order,
  redeemOrderByOwner,
  redeemOrderBySession,
} from '#store/orders/orders.ts';
import { computeOrderOwnerTag, type RecordOwner } from '#store/owner.ts';
import type { PaymentState } from '#store/schema/column-values.ts';
import type { Records } from '#store/schema/tables.ts';
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

/** What the order of a voucher is found by, for a statement that redeems it together with more. */
export function toRedeemedOrder(keyring: Keyring, voucher: Voucher): PaidCase['order'] {
  return 'sessionId' in voucher
    ? { sessionTag: computeSessionTag(keyring, voucher.sessionId), id: null, owner: null }
    : { sessionTag: null, id: voucher.orderId, owner: computeOrderOwnerTag(keyring, voucher.owner) };
}

/**
 * Runs in the caller's transaction, so that the inquiry is stored and the order redeemed together or not at all.
 * Records no time and no case id in the order.
 */
export async function redeemVoucher(
  records: Records,
  keyring: Keyring,
  voucher: Voucher,
): Promise<Redemption> {
  const order =
    'sessionId' in voucher
      ? await redeemOrderBySession(records, computeSessionTag(keyring, voucher.sessionId))
      : await redeemOrderByOwner(records, {
          id: voucher.orderId,
          owner: computeOrderOwnerTag(keyring, voucher.owner),
        });
  if (order) return { orderId: order.id, tier: order.tier as TierName };
  requireSpendableOrder(await findVoucherOrder(records, keyring, voucher));
  throw new ServiceError('payment_required');
}

async function findVoucherOrder(
  records: Records,
  keyring: Keyring,
  voucher: Voucher,
): Promise<Order | undefined> {
  if ('sessionId' in voucher)
    return await findOrderBySession(records, computeSessionTag(keyring, voucher.sessionId));
  const order = await findOrder(records, voucher.orderId);
  return order?.owner === computeOrderOwnerTag(keyring, voucher.owner) ? order : undefined;
}

function isSpendable({ payment, redeemed, on_hold: onHold }: Order): boolean {
  return payment === 'paid' && redeemed === 0 && onHold === 0;
}

export async function isUnredeemed(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  voucher: Voucher,
): Promise<boolean> {
  return (await findVoucherOrder(store.records, keyring, voucher))?.redeemed === 0;
}

export type OrderRefusal = Extract<
  ProblemCode,
  'order_redeemed' | 'order_refunded' | 'payment_held' | 'payment_required'
>;

/** The buyer has paid, but the payment needs review first: a program that is asked for a payment would pay again. */
const QUESTIONED_PAYMENTS: readonly PaymentState[] = ['paid', 'disputed', 'charged_back', 'quarantined'];

/** Why an order opens no case. */
export function findOrderRefusal(order: Order | null | undefined): OrderRefusal {
  if (order?.redeemed === 1) return 'order_redeemed';
  if (order?.payment === 'refunded') return 'order_refunded';
  return order && QUESTIONED_PAYMENTS.includes(order.payment) ? 'payment_held' : 'payment_required';
}

/** Throws unless the order is paid, unused and not on hold. */
export function requireSpendableOrder(order: Order | undefined): Order {
  if (order && isSpendable(order)) return order;
  throw new ServiceError(findOrderRefusal(order));
}

export async function requireSpendableSession(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  sessionId: string,
): Promise<void> {
  requireSpendableOrder(await findVoucherOrder(store.records, keyring, { sessionId }));
}
