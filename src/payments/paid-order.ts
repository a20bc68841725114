/** Finds the paid order that a caller wants to redeem, by order id or by the provider's session. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { findOrder, findOrderBySession, type Order } from '#store/orders/orders.ts';
import { computeOrderOwnerTag, type RecordOwner } from '#store/owner.ts';
import { refreshOrderBySession } from './landing.ts';
import { requireSpendableOrder, type Voucher } from './redeem.ts';
import { computeSessionTag, decryptSessionId, isSessionId } from './session-id.ts';

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
  const order = await findOwnOrder(services, owner, reference);
  if (!order) throw new ServiceError('not_found', { detail: 'There is no such order, or it is not yours.' });
  return order;
}

async function findOwnOrder(
  services: Pick<Services, 'keyring' | 'store'>,
  owner: RecordOwner,
  reference: OrderReference,
): Promise<Order | null> {
  const { keyring, store } = services;
  const ownerTag = computeOrderOwnerTag(keyring, owner);
  if ('orderId' in reference) {
    const order = await findOrder(store.records, reference.orderId);
    return order?.owner === ownerTag ? order : null;
  }
  if (!isSessionId(reference.sessionId)) return null;
  const order = await findOrderBySession(store.records, computeSessionTag(keyring, reference.sessionId));
  // An order from the website has no owner: the session id is enough to use it.
  return order && (order.owner === null || order.owner === ownerTag) ? order : null;
}

/** The provider's event may be late, so a client's claim that the order is paid is checked at once. */
export async function refreshOpenOrder(services: Services, order: Order): Promise<Order> {
  if (order.payment !== 'pending' && order.payment !== 'processing') return order;
  const sessionId = decryptSessionId(services.keyring, order);
  return (sessionId === null ? null : await refreshOrderBySession(services, sessionId)) ?? order;
}
