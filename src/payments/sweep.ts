/**
 * Asks the provider about orders that are due for a check, in case webhooks and landing pages missed a change, and
 * deletes old orders: settled ones by date, unpaid ones to make room.
 */
import { DAY_MS, MINUTE_MS } from '#platform/durations.ts';
import { toErrorTrace } from '#platform/log.ts';
import { cutToDay } from '#platform/text/day.ts';
import type { Services } from '#services.ts';
import { deleteExpiredRows } from '#store/due-work.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { deleteIdempotencyKeysForRecord } from '#store/idempotent-request.ts';
import type { StorageObstacle } from '#store/limits/storage-gate.ts';
import { deleteOrderWebhooks } from '#store/orders/order-webhooks.ts';
import {
  claimOrdersToCheck,
  deleteSettledOrders,
  deleteUnchangedOrder,
  endOrderChecks,
  listOldestOrders,
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
/** How many unpaid orders are closed at once; each costs two calls to the provider. */
const SESSION_BATCH = 8;
/** Younger orders without a session may be getting one right now. */
const MIN_AGE_MS = MINUTE_MS;

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
    const at = services.clock.now() + LEASE_MS * (1 + Math.random());
    await postponeOrderCheck(services.store.records, order.id, at);
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

/**
 * Makes room, so that strangers who never pay cannot block the checkout. First deletes orders that can no longer be
 * paid; others only if the cap is reached, not for lack of disk space.
 */
export async function makeUnpaidOrdersGiveWay(
  services: FulfilServices & Pick<Services, 'singleFlight'>,
  obstacle: StorageObstacle,
): Promise<number> {
  const { records } = services.store;
  for (const payment of ['expired', 'failed'] as const) {
    const deleted = await deleteOrders(services, await listOldestOrders(records, payment, BATCH));
    if (deleted > 0) return deleted;
  }
  if (obstacle === 'floor') return 0;
  return await services.singleFlight('unpaid orders give way', async () => {
    const oldest = await listOldestOrders(records, 'pending', SESSION_BATCH);
    const outcomes = await Promise.allSettled(oldest.map((order) => closePendingOrder(services, order)));
    const closed = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' && outcome.value) || []);
    // One order that the provider does not close must not block the others, and with them the checkout.
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (closed.length === 0 && failure) throw failure.reason;
    return await deleteOrders(services, closed);
  });
}

/** Returns the current order once it can no longer be paid, or null if it was paid or is too young. */
async function closePendingOrder(services: FulfilServices, order: Order): Promise<Order | null> {
  const sessionId = decryptSessionId(services.keyring, order);
  if (sessionId === null) return order.created_at < services.clock.now() - MIN_AGE_MS ? order : null;
  const closed = await closeSession(services, sessionId);
  return closed?.payment === 'expired' ? closed : null;
}

async function deleteOrders(
  { store }: Pick<Services, 'store'>,
  orders: readonly Pick<Order, 'id' | 'revision' | 'session_tag'>[],
): Promise<number> {
  if (orders.length === 0) return 0;
  return await store.transaction(async (records) => {
    let deleted = 0;
    for (const order of orders) {
      if (!(await deleteUnchangedOrder(records, order))) continue;
      await deleteIdempotencyKeysForRecord(records, order.id);
      deleted += 1;
    }
    return deleted;
  });
}
