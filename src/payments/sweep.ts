/** Finds what webhooks and landing pages missed: asks the provider about orders that should have moved by now. */
import { toErrorTrace } from '#platform/log.ts';
import type { Services } from '#services.ts';
import { claimOrdersToCheck, type Order, postponeOrderCheck, updateOrderPayment } from '#store/orders.ts';
import { deleteOldProviderEvents } from '#store/provider-events.ts';
import { fulfilOrder } from './fulfil.ts';
import { decryptSessionId } from './session-id.ts';

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
  await deleteOldProviderEvents(services.store.records, now - LEDGER_MS);
  let failures = 0;
  for (;;) {
    const claim = { now, until: now + LEASE_MS, limit: BATCH };
    const orders = await services.store.transaction((records) => claimOrdersToCheck(records, claim));
    for (const order of orders) {
      failures = (await tryCheckOrder(services, order)) ? 0 : failures + 1;
      // The provider is away: the rest would fail too, and comes back when its lease is over.
      if (failures === MOST_FAILURES) return;
    }
    if (orders.length < BATCH) return;
  }
}

async function tryCheckOrder(
  services: Pick<Services, 'clock' | 'log' | 'keyring' | 'store' | 'gateway'>,
  order: Order,
): Promise<boolean> {
  try {
    await checkOrder(services, order);
    return true;
  } catch (error) {
    services.log.event('task_failed', { task: 'check an order', ...toErrorTrace(error) });
    // At a time of its own, so that orders which keep failing do not keep coming first.
    await postponeOrderCheck(
      services.store.records,
      order.id,
      services.clock.now() + LEASE_MS * (1 + Math.random()),
    );
    return false;
  }
}

async function checkOrder(
  services: Pick<Services, 'clock' | 'log' | 'keyring' | 'store' | 'gateway'>,
  order: Order,
): Promise<void> {
  const over = order.expires_at <= services.clock.now();
  const sessionId = decryptSessionId(services.keyring, order);
  // Without a session its address was never given out, so nobody can have paid it.
  if (sessionId === null) return over ? await expireOrder(services, order) : undefined;
  let looked = await fulfilOrder(services, sessionId);
  if (looked?.payment === 'pending' && over) looked = await closeSession(services, sessionId);
  if (looked === null && over) {
    services.log.event('payment_alarm', { reason: 'provider does not know a session that it made' });
    await expireOrder(services, order);
  }
  if (looked?.payment === 'processing')
    await postponeOrderCheck(services.store.records, order.id, services.clock.now() + PROCESSING_MS);
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
  const order = await fulfilOrder(services, sessionId);
  if (refused && order?.payment === 'pending') throw refused;
  return order;
}

async function expireOrder(services: Pick<Services, 'log' | 'store'>, order: Order): Promise<void> {
  const to = order.payment === 'pending' ? 'expired' : 'quarantined';
  const moved = await updateOrderPayment(services.store.records, order, { to, checkAt: null });
  if (moved) services.log.event('order_changed', { order_id: order.id, from: order.payment, to });
}
