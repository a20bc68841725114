/** The buyer's return from the provider's page. */
import { findOrderBySession, type Order } from '#store/orders.ts';
import { fulfil } from './fulfil.ts';
import { sessionTag } from './session-id.ts';
import type { Till } from './till.ts';

/** The order that a session paid for; null if there is none. Reloads and double clicks share one look. */
export async function land(till: Till, sessionId: string): Promise<Order | null> {
  try {
    return await till.shared(`landing ${sessionId}`, () => fulfil(till, sessionId));
  } catch (error) {
    // The provider is away, but its webhook may have told us before.
    const order = await findOrderBySession(till.store.records, sessionTag(till.keyring, sessionId));
    if (order?.payment === 'paid') return order;
    throw error;
  }
}
