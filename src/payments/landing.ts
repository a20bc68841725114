/** The buyer's return from the provider's page. */
import type { Services } from '#services.ts';
import { findOrderBySession, type Order } from '#store/orders/orders.ts';
import { fulfilOrder } from './fulfil.ts';
import { computeSessionTag } from './session-id.ts';

/** Refreshes and returns the session's order, or null if there is none. Reloads and double clicks share one request. */
export async function refreshOrderBySession(services: Services, sessionId: string): Promise<Order | null> {
  const tag = computeSessionTag(services.keyring, sessionId);
  // Every session we created has an order, so a guessed id costs no call to the provider.
  if (!(await findOrderBySession(services.store.records, tag))) return null;
  try {
    return await services.singleFlight(`landing ${sessionId}`, () => fulfilOrder(services, sessionId));
  } catch (error) {
    // The provider is unreachable, but its webhook may have arrived already.
    const order = await findOrderBySession(services.store.records, tag);
    if (order?.payment === 'paid') return order;
    throw error;
  }
}
