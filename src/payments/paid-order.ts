/** Finds the paid order that a caller wants to redeem, by order id or by the provider's session. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { findOrder, type Order } from '#store/orders/orders.ts';
import { computeOrderOwnerTag, type RecordOwner } from '#store/owner.ts';
import { refreshOrderBySession } from './fulfil.ts';
import { requireSpendableOrder, type Voucher } from './redeem.ts';
import { decryptSessionId, findSessionOrder, isSessionId } from './session-id.ts';

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
  const order = await findReferencedOrder(services, reference);
  // An order from the website has no owner: the session id is enough to use it.
  const isFree = order?.owner === null && 'sessionId' in reference;
  if (order && (isFree || order.owner === computeOrderOwnerTag(services.keyring, owner))) return order;
  throw new ServiceError('not_found', { detail: 'There is no such order, or it is not yours.' });
}

async function findReferencedOrder(
  services: Pick<Services, 'keyring' | 'store'>,
  reference: OrderReference,
): Promise<Order | undefined> {
  if ('orderId' in reference) return await findOrder(services.store.records, reference.orderId);
  if (!isSessionId(reference.sessionId)) return undefined;
  return await findSessionOrder(services, reference.sessionId);
}

/** The provider's event may be late, so a client's claim that the order is paid is checked at once. */
export async function refreshOpenOrder(services: Services, order: Order): Promise<Order> {
  if (order.payment !== 'pending' && order.payment !== 'processing') return order;
  const sessionId = decryptSessionId(services.keyring, order);
  return (sessionId === null ? null : await refreshOrderBySession(services, sessionId)) ?? order;
}
