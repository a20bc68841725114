/** Finds what webhooks and landing pages missed: asks the provider about orders that should have moved by now. */
import { ServiceError } from '#platform/errors.ts';
import { traceOf } from '#platform/log.ts';
import { forgetKeys, KEY_LIFETIME_MS } from '#store/idempotency.ts';
import { claimOrdersToCheck, moveOrder, type Order } from '#store/orders.ts';
import { forgetEvents } from '#store/provider-events.ts';
import { fulfil } from './fulfil.ts';
import { openedSession } from './session-id.ts';
import type { Till } from './till.ts';

const BATCH = 50;
/** Until then no other instance takes the same order, and a failed look is not repeated. */
const LEASE_MS = 5 * 60_000;
/** The provider sends an event again for three days, and by hand for thirty. */
const LEDGER_MS = 30 * 86_400_000;

export async function sweepOrders(till: Till): Promise<void> {
  const now = till.clock.now();
  await forgetKeys(till.store.records, now - KEY_LIFETIME_MS);
  await forgetEvents(till.store.records, now - LEDGER_MS);
  for (;;) {
    const claim = { now, until: now + LEASE_MS, limit: BATCH };
    const orders = await till.store.transaction((records) => claimOrdersToCheck(records, claim));
    for (const order of orders) if (!(await checked(till, order))) return;
    if (orders.length < BATCH) return;
  }
}

/** False if the provider is away: then the rest of the batch would fail too. */
async function checked(till: Till, order: Order): Promise<boolean> {
  try {
    await check(till, order);
    return true;
  } catch (error) {
    till.log.event('task_failed', { task: 'check an order', ...traceOf(error) });
    return !(error instanceof ServiceError && error.code === 'payment_provider_unavailable');
  }
}

async function check(till: Till, order: Order): Promise<void> {
  const over = order.expires_at <= till.clock.now();
  const sessionId = openedSession(till.keyring, order);
  if (sessionId === null) {
    // Its address was never given out, so nobody can have paid it.
    if (over) await moveOrder(till.store.records, order, { to: 'expired', checkAt: null });
    return;
  }
  const looked = await fulfil(till, sessionId);
  if (!over || looked?.payment !== 'pending') return;
  await till.gateway.expireSession(sessionId);
  await fulfil(till, sessionId);
}
