/** Finds what webhooks and landing pages missed: asks the provider about orders that should have moved by now. */
import { traceOf } from '#platform/log.ts';
import type { Services } from '#services.ts';
import { claimOrdersToCheck, moveOrder, type Order, postponeCheck } from '#store/orders.ts';
import { forgetEvents } from '#store/provider-events.ts';
import { fulfil } from './fulfil.ts';
import { openedSession } from './session-id.ts';

const BATCH = 50;
const MOST_FAILURES = 3;
/** A delayed payment takes days. */
const PROCESSING_MS = 60 * 60_000;
/** Until then no other instance takes the same order, and a failed look is not repeated. */
const LEASE_MS = 5 * 60_000;
/** The provider sends an event again for three days, and by hand for thirty. */
const LEDGER_MS = 30 * 86_400_000;

export async function sweepOrders(
  services: Pick<Services, 'clock' | 'log' | 'keyring' | 'store' | 'gateway'>,
): Promise<void> {
  const now = services.clock.now();
  await forgetEvents(services.store.records, now - LEDGER_MS);
  let failures = 0;
  for (;;) {
    const claim = { now, until: now + LEASE_MS, limit: BATCH };
    const orders = await services.store.transaction((records) => claimOrdersToCheck(records, claim));
    for (const order of orders) {
      failures = (await checked(services, order)) ? 0 : failures + 1;
      // The provider is away: the rest would fail too, and comes back when its lease is over.
      if (failures === MOST_FAILURES) return;
    }
    if (orders.length < BATCH) return;
  }
}

async function checked(
  services: Pick<Services, 'clock' | 'log' | 'keyring' | 'store' | 'gateway'>,
  order: Order,
): Promise<boolean> {
  try {
    await check(services, order);
    return true;
  } catch (error) {
    services.log.event('task_failed', { task: 'check an order', ...traceOf(error) });
    // At a time of its own, so that orders which keep failing do not keep coming first.
    await postponeCheck(
      services.store.records,
      order.id,
      services.clock.now() + LEASE_MS * (1 + Math.random()),
    );
    return false;
  }
}

async function check(
  services: Pick<Services, 'clock' | 'log' | 'keyring' | 'store' | 'gateway'>,
  order: Order,
): Promise<void> {
  const over = order.expires_at <= services.clock.now();
  const sessionId = openedSession(services.keyring, order);
  // Without a session its address was never given out, so nobody can have paid it.
  if (sessionId === null) return over ? await expire(services, order) : undefined;
  let looked = await fulfil(services, sessionId);
  if (looked?.payment === 'pending' && over) looked = await closeSession(services, sessionId);
  if (looked === null && over) {
    services.log.event('payment_alarm', { reason: 'provider does not know a session that it made' });
    await expire(services, order);
  }
  if (looked?.payment === 'processing')
    await postponeCheck(services.store.records, order.id, services.clock.now() + PROCESSING_MS);
}

/** The buyer may be paying at this very moment: then the session is no longer open, and the look afterwards says so. */
async function closeSession(
  services: Pick<Services, 'clock' | 'log' | 'keyring' | 'store' | 'gateway'>,
  sessionId: string,
): Promise<Order | null> {
  const refused = await services.gateway.expireSession(sessionId).then(
    () => null,
    (error: unknown) => error,
  );
  const order = await fulfil(services, sessionId);
  if (refused && order?.payment === 'pending') throw refused;
  return order;
}

async function expire(services: Pick<Services, 'log' | 'store'>, order: Order): Promise<void> {
  const to = order.payment === 'pending' ? 'expired' : 'quarantined';
  const moved = await moveOrder(services.store.records, order, { to, checkAt: null });
  if (moved) services.log.event('order_changed', { order_id: order.id, from: order.payment, to });
}
