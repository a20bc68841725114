/** The buyer's return from the provider's page. */
import type { Services } from '#services.ts';
import { findOrderBySession, type Order } from '#store/orders.ts';
import { fulfilOrder } from './fulfil.ts';
import { computeSessionTag } from './session-id.ts';

/** The order that a session paid for; null if there is none. Reloads and double clicks share one look. */
export async function refreshOrderBySession(services: Services, sessionId: string): Promise<Order | null> {
  const tag = computeSessionTag(services.keyring, sessionId);
  // Every address that was given out has its order, so a stranger's guess costs no call to the provider.
  if (!(await findOrderBySession(services.store.records, tag))) return null;
  try {
    return await services.shared(`landing ${sessionId}`, () => fulfilOrder(services, sessionId));
  } catch (error) {
    // The provider is away, but its webhook may have told us before.
    const order = await findOrderBySession(services.store.records, tag);
    if (order?.payment === 'paid') return order;
    throw error;
  }
}
