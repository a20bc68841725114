/** Creates an order with simple values, for tests in which at most one of them matters. */
import { generateId } from '#platform/text/ids.ts';
import type { Order } from '#store/orders/orders.ts';

export function createSampleOrder(changes: Partial<Order> = {}): Order {
  return {
    id: generateId(),
    tier: 'Trace',
    amount: 9_900,
    currency: 'usd',
    livemode: 0,
    payment: 'pending',
    revision: 0,
    redeemed: 0,
    on_hold: 0,
    session_tag: null,
    session_ciphertext: null,
    owner: null,
    created_at: 1_000,
    expires_at: 2_000,
    check_at: null,
    return_link_at: null,
    return_link_hash: null,
    form_shown: 0,
    ...changes,
  };
}
