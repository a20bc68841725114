/** Asks the provider about orders that are due for a check, in case webhooks and landing pages missed a change. */
import { DAY_MS, MINUTE_MS } from '#platform/durations.ts';
import { toErrorTrace } from '#platform/log.ts';
import { cutToDay } from '#platform/text/day.ts';
import type { Services } from '#services.ts';
import { deleteExpiredRows } from '#store/due-work.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { deleteOrderWebhooks } from '#store/orders/order-webhooks.ts';
import {
  claimOrdersToCheck,
  deleteSettledOrders,
  endOrderChecks,
  MAX_CHECK_WAIT_MS,
  type Order,
  postponeOrderCheck,
  updateOrderPayment,
} from '#store/orders/orders.ts';
import { type FulfilServices, fulfilOrder } from './fulfil.ts';
import { decryptSessionId } from './session-id.ts';

const BATCH = 50;
const MAX_FAILURES = 3;
/** For this long, no other process checks the same order, and a failed check is not repeated. */
const LEASE_MS = 5 * MINUTE_MS;

export async function sweepOrders(services: FulfilServices): Promise<void> {
  const now = services.clock.now();
  let failures = 0;
  for (;;) {
    const claim = { now, until: now + LEASE_MS, limit: BATCH };
    const orders = await services.store.transaction((records) => claimOrdersToCheck(records, claim));
    for (const order of orders) {
      failures = (await tryCheckOrder(services, order)) ? 0 : failures + 1;
      // The provider is unreachable: the other orders would fail too. They are due again when their lease expires.
      if (failures === MAX_FAILURES) return;
    }
    if (orders.length < BATCH) return;
  }
}

async function tryCheckOrder(services: FulfilServices, order: Order): Promise<boolean> {
  try {
    await checkOrder(services, order);
    return true;
  } catch (error) {
    services.log.event('task_failed', { task: 'check an order', ...toErrorTrace(error) });
    // At a random time, so that orders which keep failing do not always come first.
    await postponeOrderCheck(
      services.store.records,
      order.id,
      services.clock.now() + LEASE_MS * (1 + Math.random()),
    );
    return false;
  }
}

async function checkOrder(services: FulfilServices, order: Order): Promise<void> {
  const expired = order.expires_at <= services.clock.now();
  const sessionId = decryptSessionId(services.keyring, order);
  // Without a stored session id the buyer never got the payment page, so the order cannot have been paid.
  if (sessionId === null) return expired ? await expireOrder(services, order) : undefined;
  let refreshed = await fulfilOrder(services, sessionId);
  if (refreshed?.payment === 'pending' && expired) refreshed = await closeSession(services, sessionId);
  if (refreshed === null && expired) {
    services.log.event('payment_alarm', { reason: 'provider does not know a session that it made' });
    // An order on hold waits for an operator anyway, who may have restored with the key of another account.
    if (order.on_hold === 0) return await expireOrder(services, order);
    await postponeOrderCheck(services.store.records, order.id, services.clock.now() + MAX_CHECK_WAIT_MS);
  }
  if (refreshed !== null) await endOrderChecks(services.store.records, order.id);
  if (refreshed?.payment === 'processing')
    await postponeOrderCheck(services.store.records, order.id, services.clock.now() + MAX_CHECK_WAIT_MS);
}

/** The buyer may be paying right now: then expiring the session fails, and the order is refreshed as paid. */
export async function closeSession(services: FulfilServices, sessionId: string): Promise<Order | null> {
  const failure = await services.paymentProvider.expireSession(sessionId).catch((error: unknown) => error);
  const order = await fulfilOrder(services, sessionId);
  if (failure && order?.payment === 'pending') throw failure;
  return order;
}

async function expireOrder(services: Pick<Services, 'log' | 'store'>, order: Order): Promise<void> {
  const to = order.payment === 'pending' ? 'expired' : 'quarantined';
  const updated = await services.store.transaction(async (records) => {
    const isExpired = await updateOrderPayment(records, order, { to, checkAt: null });
    // Otherwise the order was changed meanwhile, and may yet be paid.
    if (isExpired) await deleteOrderWebhooks(records, [order.id]);
    return isExpired;
  });
  if (updated) services.log.event('order_changed', { from: order.payment, to });
}

/** Counts whole days, because a settled order has no finer time. */
export async function deleteOldOrders(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  keepDays: number,
): Promise<void> {
  const today = cutToDay(clock.now());
  await runInBatches(store, (records, limit) =>
    deleteExpiredRows(records, 'unpaid orders', clock.now(), limit),
  );
  await runInBatches(store, (records, limit) =>
    deleteSettledOrders(records, today - keepDays * DAY_MS, limit),
  );
}
