/** The buyer's return from the provider's page. */
import { findOrderBySession, type Order } from '#store/orders.ts';
import { fulfil } from './fulfil.ts';
import { sessionTag } from './session-id.ts';
import type { Till } from './till.ts';

/** The order that a session paid for; null if there is none. Reloads and double clicks share one look. */
export async function land(till: Till, sessionId: string): Promise<Order | null> {
  const tag = sessionTag(till.keyring, sessionId);
  // Every address that was given out has its order, so a stranger's guess costs no call to the provider.
  if (!(await findOrderBySession(till.store.records, tag))) return null;
  try {
    return await till.shared(`landing ${sessionId}`, () => fulfil(till, sessionId));
  } catch (error) {
    // The provider is away, but its webhook may have told us before.
    const order = await findOrderBySession(till.store.records, tag);
    if (order?.payment === 'paid') return order;
    throw error;
  }
}
