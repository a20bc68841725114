/** The order that a client wants to use, by its own id or by the provider's session: paid, and nobody else's. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { findOrder, findOrderBySession, type Order } from '#store/orders.ts';
import { refreshOrderBySession } from './landing.ts';
import { computeOrderOwnerTag } from './owner.ts';
import type { Voucher } from './redeem.ts';
import { computeSessionTag, decryptSessionId, isSessionId } from './session-id.ts';

export type OrderReference = { readonly orderId: string } | { readonly sessionId: string };

export interface PaidOrder {
  readonly order: Order;
  readonly voucher: Voucher;
}

/** After a fresh look at the provider where it may have news. */
export async function requirePaidOrder(
  services: Services,
  clientId: string,
  named: OrderReference,
): Promise<PaidOrder> {
  const found = await requireOwnOrder(services, clientId, named);
  return requireUnspentOrder(await refreshOpenOrder(services, found), clientId, named);
}

/** As far as we know: for what comes in numbers. */
export async function requireKnownPaidOrder(
  services: Pick<Services, 'keyring' | 'store'>,
  clientId: string,
  named: OrderReference,
): Promise<PaidOrder> {
  return requireUnspentOrder(await requireOwnOrder(services, clientId, named), clientId, named);
}

function requireUnspentOrder(order: Order, clientId: string, named: OrderReference): PaidOrder {
  if (order.payment !== 'paid' || order.redeemed === 1) throw new ServiceError('payment_required');
  return { order, voucher: 'sessionId' in named ? named : { ...named, clientId } };
}

/** Another client's order is as unknown as one that never was. */
async function requireOwnOrder(
  services: Pick<Services, 'keyring' | 'store'>,
  clientId: string,
  named: OrderReference,
): Promise<Order> {
  const found = await findOwnOrder(services, clientId, named);
  if (!found) throw new ServiceError('not_found', { detail: 'There is no such order, or it is not yours.' });
  return found;
}

async function findOwnOrder(
  services: Pick<Services, 'keyring' | 'store'>,
  clientId: string,
  named: OrderReference,
): Promise<Order | null> {
  const { keyring, store } = services;
  const owner = computeOrderOwnerTag(keyring, clientId);
  if ('orderId' in named) {
    const order = await findOrder(store.records, named.orderId);
    return order?.owner === owner ? order : null;
  }
  if (!isSessionId(named.sessionId)) return null;
  const order = await findOrderBySession(store.records, computeSessionTag(keyring, named.sessionId));
  // What a person bought at the site is for whoever holds the session.
  return order && (order.owner === null || order.owner === owner) ? order : null;
}

/** The provider's event may be late: whoever says that it was paid makes us look. */
async function refreshOpenOrder(services: Services, order: Order): Promise<Order> {
  if (order.payment !== 'pending' && order.payment !== 'processing') return order;
  const sessionId = decryptSessionId(services.keyring, order);
  return (sessionId === null ? null : await refreshOrderBySession(services, sessionId)) ?? order;
}
