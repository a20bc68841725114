/** Updates an order to the provider's current state of its payment; used by webhook, landing page and sweep. */
import type { Services } from '#services.ts';
import {
  bindOrderSession,
  findOrder,
  findOrderBySession,
  MAX_CHECK_WAIT_MS,
  type Order,
  updateOrderPayment,
} from '#store/orders/orders.ts';
import { computeEventTag, recordProviderEvent } from '#store/orders/provider-events.ts';
import type { PaymentState } from '#store/schema/column-values.ts';
import { enqueueOrderEvent } from './order-events.ts';
import { isPaymentTransitionAllowed, toPaymentState } from './payment-state.ts';
import { computeReturnLinkTime } from './return-link.ts';
import { computeSessionTag, encryptSessionId } from './session-id.ts';

const MAX_ROUNDS = 20;

/** Updates the order from the provider; null if the session is not ours. Starts again if another call changed it. */
export async function fulfilOrder(
  services: Pick<Services, 'clock' | 'log' | 'keyring' | 'store' | 'paymentProvider'>,
  sessionId: string,
  event: string | null = null,
): Promise<Order | null> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // Read before asking the provider: if the order changes after this, our facts may be the older ones.
    const order = await findOrderBySession(
      services.store.records,
      computeSessionTag(services.keyring, sessionId),
    );
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
  services: Pick<Services, 'log' | 'keyring' | 'store'>,
  sessionId: string,
  orderId: string | null,
): Promise<boolean> {
  const { keyring, log, store } = services;
  const order = orderId === null ? undefined : await findOrder(store.records, orderId);
  if (!order) return false;
  if (await bindOrderSession(store.records, order.id, encryptSessionId(keyring, sessionId, order.id)))
    return true;
  const bound = await findOrderBySession(store.records, computeSessionTag(keyring, sessionId));
  if (bound?.id === order.id) return true;
  log.event('payment_alarm', { reason: 'two sessions for one order' });
  return false;
}

/** Records the event and changes the order in one transaction; returns null if the order has changed meanwhile. */
async function applyPaymentState(
  services: Pick<Services, 'clock' | 'keyring' | 'log' | 'store'>,
  order: Order,
  to: PaymentState,
  event: string | null,
): Promise<Order | null> {
  const now = services.clock.now();
  const eventTag = event === null ? null : computeEventTag(services.keyring, event);
  const hasChange = to !== order.payment && canReachState(services, order, to);
  if (!hasChange && eventTag === null) return order;
  const revisionConflict = Symbol('the order was changed concurrently');
  let updated: boolean;
  try {
    updated = await services.store.transaction(async (records) => {
      // A recorded event may still cause a change: another process may have asked the provider too early to see it.
      if (eventTag !== null) await recordProviderEvent(records, eventTag, now);
      if (!hasChange) return false;
      if (!(await updateOrderPayment(records, order, buildPaymentChange(order, to, now))))
        throw revisionConflict;
      await enqueueOrderEvent(services, records, order, to);
      return true;
    });
  } catch (error) {
    if (error === revisionConflict) return null;
    throw error;
  }
  if (!updated) return order;
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
