/** Updates an order to the provider's current state of its payment: for webhook, landing page and sweep. */
import type { IncomingHttpHeaders } from 'node:http';
import { MINUTE_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { RETURN_LINK_MINUTES } from '#platform/expiry.ts';
import type { Services } from '#services.ts';
import {
  bindOrderSession,
  computeEventTag,
  findOrder,
  isProviderEventRecorded,
  MAX_CHECK_WAIT_MS,
  type Order,
  recordProviderEvent,
  updateOrderPayment,
} from '#store/orders/orders.ts';
import type { PaymentState } from '#store/schema/column-values.ts';
import { enqueueOrderEvent } from './order-events.ts';
import { isPaymentTransitionAllowed, toPaymentState } from './payment-state.ts';
import { encryptSessionId, findSessionOrder } from './session-id.ts';

const MAX_ROUNDS = 20;
/** A payment that is valid again after a dispute or a failed refund has already had its e-mail. */
const STATES_BEFORE_PAID: readonly PaymentState[] = ['pending', 'processing', 'failed'];

export type FulfilServices = Pick<Services, 'clock' | 'log' | 'keyring' | 'store' | 'paymentProvider'>;

/** Updates the order from the provider; null if the session is not ours. Starts again if another call changed it. */
export async function fulfilOrder(
  services: FulfilServices,
  sessionId: string,
  event: string | null = null,
): Promise<Order | null> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // Read before asking the provider: if the order changes after this, our facts may be the older ones.
    const order = await findSessionOrder(services, sessionId);
    const facts = await services.paymentProvider.fetchFacts(sessionId);
    if (!facts) return null;
    if (!order) {
      if (!(await bindSessionToOrder(services, sessionId, facts.orderId))) return null;
      continue;
    }
    const updated = await applyPaymentState(services, order, toPaymentState(facts, order), event);
    if (updated) return updated;
  }
  throw new Error('the order kept changing');
}

/** A webhook can arrive before the response that contains the session id; then the session itself names the order. */
async function bindSessionToOrder(
  services: FulfilServices,
  sessionId: string,
  orderId: string | null,
): Promise<boolean> {
  const { keyring, log, store } = services;
  const order = orderId === null ? undefined : await findOrder(store.records, orderId);
  if (!order) return false;
  if (await bindOrderSession(store.records, order.id, encryptSessionId(keyring, sessionId, order.id)))
    return true;
  if ((await findSessionOrder(services, sessionId))?.id === order.id) return true;
  log.event('payment_alarm', { reason: 'two sessions for one order' });
  return false;
}

/** Records the event and changes the order in one transaction; returns null if the order has changed meanwhile. */
async function applyPaymentState(
  services: FulfilServices,
  order: Order,
  to: PaymentState,
  event: string | null,
): Promise<Order | null> {
  const now = services.clock.now();
  const eventTag = event === null ? null : computeEventTag(services.keyring, event);
  const hasChange = to !== order.payment && canReachState(services, order, to);
  if (!hasChange && eventTag === null) return order;
  const isStored = await services.store.transaction(async (records) => {
    if (hasChange && !(await updateOrderPayment(records, order, buildPaymentChange(order, to, now))))
      return false;
    // A recorded event may still cause a change: another process may have asked the provider too early to see it.
    if (eventTag !== null) await recordProviderEvent(records, eventTag, now);
    if (hasChange) await enqueueOrderEvent(services, records, order, to);
    return true;
  });
  if (!isStored) return null;
  if (!hasChange) return order;
  services.log.event('order_changed', { from: order.payment, to });
  if (to === 'quarantined')
    services.log.event('payment_alarm', { reason: 'payment does not match its order' });
  return { ...order, payment: to, revision: order.revision + 1 };
}

function canReachState({ log }: Pick<Services, 'log'>, order: Order, to: PaymentState): boolean {
  if (isPaymentTransitionAllowed(order.payment, to)) return true;
  log.event('payment_alarm', { reason: `provider says ${to} after ${order.payment}` });
  return false;
}

/** Only a delayed payment needs another check; every other state is final until an event changes it. */
function buildPaymentChange(order: Order, to: PaymentState, now: number) {
  const checkAt = to === 'processing' ? now + MAX_CHECK_WAIT_MS : null;
  return { to, checkAt, returnLinkAt: computeReturnLinkTime(order, to, now) };
}

/** When to send the return link if the payment reaches this state now; null if a program sends the inquiry itself. */
function computeReturnLinkTime(
  { owner, payment }: Pick<Order, 'owner' | 'payment'>,
  to: PaymentState,
  now: number,
): number | null {
  const isFirstPaid = to === 'paid' && STATES_BEFORE_PAID.includes(payment);
  return isFirstPaid && owner === null ? now + RETURN_LINK_MINUTES * MINUTE_MS : null;
}

/** Refreshes and returns the session's order, or null if there is none. Reloads and double clicks share one request. */
export async function refreshOrderBySession(services: Services, sessionId: string): Promise<Order | null> {
  // Every session we created has an order, so a guessed id costs no call to the provider.
  if (!(await findSessionOrder(services, sessionId))) return null;
  try {
    return await services.singleFlight(`landing ${sessionId}`, () => fulfilOrder(services, sessionId));
  } catch (error) {
    // The provider is unreachable, but its webhook may have arrived already.
    const order = await findSessionOrder(services, sessionId);
    if (order?.payment === 'paid') return order;
    throw error;
  }
}

/** Receives an event of the provider: verifies signature and mode, and applies each event once. */
export async function receiveProviderEvent(
  services: Services,
  body: Buffer,
  headers: IncomingHttpHeaders,
): Promise<void> {
  if (!services.paymentProvider.configured) throw new ServiceError('payments_not_configured');
  const event = await services.paymentProvider.verifyEvent(body, headers);
  if (event.livemode !== services.paymentProvider.livemode) {
    services.log.event('payment_alarm', { reason: 'event of the other mode' });
    throw new ServiceError('event_refused');
  }
  const tag = computeEventTag(services.keyring, event.id);
  if (await isProviderEventRecorded(services.store.records, tag)) return;
  // Concurrent deliveries of one event share one request to the provider, which is always later than the event.
  const resolved = await services.singleFlight(`event ${event.id}`, async () => {
    const sessionId = await event.findSession();
    return sessionId !== null && (await fulfilOrder(services, sessionId, event.id)) !== null;
  });
  if (resolved || !event.mustResolve) return;
  services.log.event('payment_alarm', { reason: 'paid session without an order' });
  throw new ServiceError('event_unresolved');
}
