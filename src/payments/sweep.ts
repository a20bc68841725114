/** Finds what webhooks and landing pages missed: asks the provider about orders that should have moved by now. */
import { traceOf } from '#platform/log.ts';
import { claimOrdersToCheck, moveOrder, type Order, postponeCheck } from '#store/orders.ts';
import { forgetEvents } from '#store/provider-events.ts';
import { fulfil } from './fulfil.ts';
import { openedSession } from './session-id.ts';
import type { Till } from './till.ts';

const BATCH = 50;
const MOST_FAILURES = 3;
/** A delayed payment takes days. */
const PROCESSING_MS = 60 * 60_000;
/** Until then no other instance takes the same order, and a failed look is not repeated. */
const LEASE_MS = 5 * 60_000;
/** The provider sends an event again for three days, and by hand for thirty. */
const LEDGER_MS = 30 * 86_400_000;

export async function sweepOrders(till: Till): Promise<void> {
  const now = till.clock.now();
  await forgetEvents(till.store.records, now - LEDGER_MS);
  let failures = 0;
  for (;;) {
    const claim = { now, until: now + LEASE_MS, limit: BATCH };
    const orders = await till.store.transaction((records) => claimOrdersToCheck(records, claim));
    for (const order of orders) {
      failures = (await checked(till, order)) ? 0 : failures + 1;
      // The provider is away: the rest would fail too, and comes back when its lease is over.
      if (failures === MOST_FAILURES) return;
    }
    if (orders.length < BATCH) return;
  }
}

async function checked(till: Till, order: Order): Promise<boolean> {
  try {
    await check(till, order);
    return true;
  } catch (error) {
    till.log.event('task_failed', { task: 'check an order', ...traceOf(error) });
    // At a time of its own, so that orders which keep failing do not keep coming first.
    await postponeCheck(till.store.records, order.id, till.clock.now() + LEASE_MS * (1 + Math.random()));
    return false;
  }
}

async function check(till: Till, order: Order): Promise<void> {
  const over = order.expires_at <= till.clock.now();
  const sessionId = openedSession(till.keyring, order);
  // Without a session its address was never given out, so nobody can have paid it.
  if (sessionId === null) return over ? await expire(till, order) : undefined;
  let looked = await fulfil(till, sessionId);
  if (looked?.payment === 'pending' && over) looked = await closeSession(till, sessionId);
  if (looked === null && over) {
    till.log.event('payment_alarm', { reason: 'provider does not know a session that it made' });
    await expire(till, order);
  }
  if (looked?.payment === 'processing')
    await postponeCheck(till.store.records, order.id, till.clock.now() + PROCESSING_MS);
}

/** The buyer may be paying at this very moment: then the session is no longer open, and the look afterwards says so. */
async function closeSession(till: Till, sessionId: string): Promise<Order | null> {
  const refused = await till.gateway.expireSession(sessionId).then(
    () => null,
    (error: unknown) => error,
  );
  const order = await fulfil(till, sessionId);
  if (refused && order?.payment === 'pending') throw refused;
  return order;
}

async function expire(till: Till, order: Order): Promise<void> {
  const to = order.payment === 'pending' ? 'expired' : 'quarantined';
  const moved = await moveOrder(till.store.records, order, { to, checkAt: null });
  if (moved) till.log.event('order_changed', { order_id: order.id, from: order.payment, to });
}
