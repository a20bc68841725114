/** Finds the paid order that a caller wants to use, and redeems it for the one inquiry that it pays for. */
import { ServiceError } from '#platform/errors.ts';
import type { ProblemCode } from '#platform/problems.ts';
import type { Services } from '#services.ts';
import {
  findOrder,
  findOrderBySession,
  type Order,
  type OrderProof,
  redeemOrder,
} from '#store/orders/orders.ts';
import { computeOrderOwnerTag, type RecordOwner } from '#store/owner.ts';
import type { PaymentState } from '#store/schema/column-values.ts';
import type { Records } from '#store/schema/tables.ts';
import { refreshOrderBySession } from './fulfil.ts';
import { computeSessionTag, decryptSessionId, findSessionOrder } from './session-id.ts';
import type { TierName } from './tiers.ts';

/** Proves a payment: the provider's session, which the buyer knows, or an order together with its owner. */
export type Voucher =
  | { readonly sessionId: string }
  | { readonly orderId: string; readonly owner: RecordOwner };

type ProofServices = Pick<Services, 'paymentProvider' | 'keyring'>;

/** How a statement finds the order of a voucher, if it does more than redeem it. */
export function toOrderProof({ paymentProvider, keyring }: ProofServices, voucher: Voucher): OrderProof {
  const livemode = paymentProvider.livemode ? 1 : 0;
  return 'sessionId' in voucher
    ? { sessionTag: computeSessionTag(keyring, voucher.sessionId), id: null, owner: null, livemode }
    : {
        sessionTag: null,
        id: voucher.orderId,
        owner: computeOrderOwnerTag(keyring, voucher.owner),
        livemode,
      };
}

/**
 * In the caller's transaction: inquiry and order change together or not at all. The order gets no time or case id, and
 * the case only the tier, which this returns.
 */
export async function redeemVoucher(
  records: Records,
  services: ProofServices,
  voucher: Voucher,
): Promise<TierName> {
  const proof = toOrderProof(services, voucher);
  const order = await redeemOrder(records, proof);
  if (order) return order.tier as TierName;
  requireSpendableOrder(services, await findProvenOrder(records, proof));
  throw new ServiceError('payment_required');
}

async function findProvenOrder(
  records: Records,
  { sessionTag, id, owner }: OrderProof,
): Promise<Order | undefined> {
  if (sessionTag !== null) return await findOrderBySession(records, sessionTag);
  const order = await findOrder(records, id ?? '');
  return order?.owner === owner ? order : undefined;
}

/** On hold since a restore, or bought in the other mode, such as in the sandbox before the service went live. */
export function isOrderOnHold(
  { paymentProvider }: Pick<Services, 'paymentProvider'>,
  { on_hold: onHold, livemode }: Order,
): boolean {
  return onHold === 1 || (livemode === 1) !== paymentProvider.livemode;
}

export async function isUnredeemed(
  services: ProofServices & Pick<Services, 'store'>,
  voucher: Voucher,
): Promise<boolean> {
  return (await findProvenOrder(services.store.records, toOrderProof(services, voucher)))?.redeemed === 0;
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
function requireSpendableOrder(services: Pick<Services, 'paymentProvider'>, order: Order | undefined): Order {
  const isUnused = order?.payment === 'paid' && order.redeemed === 0;
  if (isUnused && !isOrderOnHold(services, order)) return order;
  throw new ServiceError(findOrderRefusal(order));
}

export async function requireSpendableSession(
  services: ProofServices & Pick<Services, 'store'>,
  sessionId: string,
): Promise<void> {
  requireSpendableOrder(services, await findSessionOrder(services, sessionId));
}

export type OrderReference = { readonly orderId: string } | { readonly sessionId: string };

export interface PaidOrder {
  readonly order: Order;
  readonly voucher: Voucher;
}

/** Asks the provider first if the payment is not settled yet. */
export async function requirePaidOrder(
  services: Services,
  owner: RecordOwner,
  reference: OrderReference,
): Promise<PaidOrder> {
  const known = await requireOwnOrder(services, owner, reference);
  const order = requireSpendableOrder(services, await refreshOpenOrder(services, known));
  return { order, voucher: toVoucher(owner, reference) };
}

/** Does not ask the provider; for frequent requests. */
export async function requireKnownPaidOrder(
  services: Pick<Services, 'paymentProvider' | 'keyring' | 'store'>,
  owner: RecordOwner,
  reference: OrderReference,
): Promise<PaidOrder> {
  const order = requireSpendableOrder(services, await requireOwnOrder(services, owner, reference));
  return { order, voucher: toVoucher(owner, reference) };
}

function toVoucher(owner: RecordOwner, reference: OrderReference): Voucher {
  return 'sessionId' in reference ? reference : { ...reference, owner };
}

/** Another owner's order gives the same error as one that does not exist. */
export async function requireOwnOrder(
  services: Pick<Services, 'keyring' | 'store'>,
  owner: RecordOwner,
  reference: OrderReference,
): Promise<Order> {
  const order =
    'orderId' in reference
      ? await findOrder(services.store.records, reference.orderId)
      : await findSessionOrder(services, reference.sessionId);
  // An order from the website has no owner: the session id is enough to use it.
  const isFree = order?.owner === null && 'sessionId' in reference;
  if (order && (isFree || order.owner === computeOrderOwnerTag(services.keyring, owner))) return order;
  throw new ServiceError('not_found', { detail: 'There is no such order, or it is not yours.' });
}

/** The provider's event may be late, so a client's claim that the order is paid is checked at once. */
export async function refreshOpenOrder(services: Services, order: Order): Promise<Order> {
  if (order.payment !== 'pending' && order.payment !== 'processing') return order;
  const sessionId = decryptSessionId(services.keyring, order);
  return (sessionId === null ? null : await refreshOrderBySession(services, sessionId)) ?? order;
}
