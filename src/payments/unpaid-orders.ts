/** Deletes the oldest unpaid orders to make room, so that strangers who never pay cannot block the checkout. */
import { MINUTE_MS } from '#platform/durations.ts';
import type { Services } from '#services.ts';
import { deleteIdempotencyKeysForRecord } from '#store/clients/idempotent-request.ts';
import type { StorageObstacle } from '#store/limits/storage-gate.ts';
import { deleteUnchangedOrder, listOldestOrders, type Order } from '#store/orders/orders.ts';
import type { FulfilServices } from './fulfil.ts';
import { decryptSessionId } from './session-id.ts';
import { closeSession } from './sweep.ts';

const BATCH = 50;
/** Each costs two calls to the provider. */
const SESSION_BATCH = 8;
/** Younger orders without a session may be getting one right now. */
const MIN_AGE_MS = MINUTE_MS;

/** First deletes orders that can no longer be paid; others only if the cap is reached, not for lack of disk space. */
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
