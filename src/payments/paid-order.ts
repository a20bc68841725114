/** The order that a client wants to use, by its own id or by the provider's session: paid, and nobody else's. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { findOrder, findOrderBySession, type Order } from '#store/orders.ts';
import { land } from './landing.ts';
import { ownerTag } from './owner.ts';
import type { Voucher } from './redeem.ts';
import { isSessionId, openedSession, sessionTag } from './session-id.ts';

export type NamedOrder = { readonly orderId: string } | { readonly sessionId: string };

export interface PaidOrder {
  readonly order: Order;
  readonly voucher: Voucher;
}

/** After a fresh look at the provider where it may have news. */
export async function demandPaidOrder(
  services: Services,
  clientId: string,
  named: NamedOrder,
): Promise<PaidOrder> {
  const found = await demandOwnOrder(services, clientId, named);
  return paid(await asItStands(services, found), clientId, named);
}

/** As far as we know: for what comes in numbers. */
export async function demandKnownPaidOrder(
  services: Pick<Services, 'keyring' | 'store'>,
  clientId: string,
  named: NamedOrder,
): Promise<PaidOrder> {
  return paid(await demandOwnOrder(services, clientId, named), clientId, named);
}

function paid(order: Order, clientId: string, named: NamedOrder): PaidOrder {
  if (order.payment !== 'paid' || order.redeemed === 1) throw new ServiceError('payment_required');
  return { order, voucher: 'sessionId' in named ? named : { ...named, clientId } };
}

/** Another client's order is as unknown as one that never was. */
async function demandOwnOrder(
  services: Pick<Services, 'keyring' | 'store'>,
  clientId: string,
  named: NamedOrder,
): Promise<Order> {
  const found = await ownOrder(services, clientId, named);
  if (!found) throw new ServiceError('not_found', { detail: 'There is no such order of yours.' });
  return found;
}

async function ownOrder(
  services: Pick<Services, 'keyring' | 'store'>,
  clientId: string,
  named: NamedOrder,
): Promise<Order | null> {
  const { keyring, store } = services;
  const owner = ownerTag(keyring, clientId);
  if ('orderId' in named) {
    const order = await findOrder(store.records, named.orderId);
    return order?.owner === owner ? order : null;
  }
  if (!isSessionId(named.sessionId)) return null;
  const order = await findOrderBySession(store.records, sessionTag(keyring, named.sessionId));
  // What a person bought at the site is for whoever holds the session.
  return order && (order.owner === null || order.owner === owner) ? order : null;
}

/** The provider's event may be late: whoever says that it was paid makes us look. */
async function asItStands(services: Services, order: Order): Promise<Order> {
  if (order.payment !== 'pending' && order.payment !== 'processing') return order;
  const sessionId = openedSession(services.keyring, order);
  return (sessionId === null ? null : await land(services, sessionId)) ?? order;
}
