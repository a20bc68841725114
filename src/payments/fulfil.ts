/** Brings an order to what the provider says of its payment; webhook, landing page and sweep all end here. */
import type { Services } from '#services.ts';
import {
  bindOrderSession,
  findOrder,
  findOrderBySession,
  type Order,
  updateOrderPayment,
} from '#store/orders.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import { recordProviderEvent } from '#store/provider-events.ts';
import {
  fetchPaymentFacts,
  isPaymentTransitionAllowed,
  type PaymentState,
  toPaymentState,
} from './payment-facts.ts';
import { computeSessionTag, encryptSessionId } from './session-id.ts';

const MOST_ROUNDS = 20;
const PROCESSING_RECHECK_MS = 60 * 60_000;

/** The state in which the desk wants to hear of an order. */
const NOTEWORTHY: readonly PaymentState[] = ['paid', 'refunded', 'disputed', 'charged_back', 'quarantined'];

/**
 * The order of a session after a fresh look at the provider; null if the session is none of ours. Safe to call
 * any number of times at once: whoever moves the order in between makes the others look again.
 */
export async function fulfilOrder(
  services: Pick<Services, 'clock' | 'log' | 'keyring' | 'store' | 'gateway'>,
  sessionId: string,
  event: string | null = null,
): Promise<Order | null> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    // Read before the provider is asked: a move since then means that our answer may be the older one.
    const order = await findOrderBySession(
      services.store.records,
      computeSessionTag(services.keyring, sessionId),
    );
    const facts = await fetchPaymentFacts(services.gateway, sessionId);
    if (!facts) return null;
    if (!order) {
      if (!(await bindSessionToOrder(services, sessionId, facts.orderId))) return null;
      continue;
    }
    const settled = await applyPaymentState(services, order, toPaymentState(facts, order), event);
    if (settled) return settled;
  }
  throw new Error('an order that does not come to rest');
}

/** A webhook can be faster than the answer that tells us the session's id; then the provider tells us the order. */
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

/** The event's entry in the ledger and its effect, together or not at all; null if the order has moved meanwhile. */
async function applyPaymentState(
  services: Pick<Services, 'clock' | 'log' | 'store'>,
  order: Order,
  to: PaymentState,
  event: string | null,
): Promise<Order | null> {
  const now = services.clock.now();
  const changes = to !== order.payment && canReachState(services, order, to);
  if (!changes && event === null) return order;
  const revisionGone = Symbol('another reader was faster');
  let moved: boolean;
  try {
    moved = await services.store.transaction(async (records) => {
      const unheard = event === null || (await recordProviderEvent(records, event, now));
      if (!changes || !unheard) return false;
      if (!(await updateOrderPayment(records, order, { to, checkAt: computeNextCheck(to, now) })))
        throw revisionGone;
      if (NOTEWORTHY.includes(to))
        await enqueueOutboxEntry(records, {
          topic: 'order',
          dedupe: `order ${order.id} ${to}`,
          payload: { order: order.id, payment: to },
          dueAt: now,
        });
      return true;
    });
  } catch (error) {
    if (error === revisionGone) return null;
    throw error;
  }
  // Heard before, yet not where it should be: whoever heard it is moving the order right now.
  if (!moved) return changes ? null : order;
  services.log.event('order_changed', { order_id: order.id, from: order.payment, to });
  if (to === 'quarantined')
    services.log.event('payment_alarm', { reason: 'payment does not match its order' });
  return { ...order, payment: to, revision: order.revision + 1 };
}

function canReachState({ log }: Pick<Services, 'log'>, order: Order, to: PaymentState): boolean {
  if (isPaymentTransitionAllowed(order.payment, to)) return true;
  log.event('payment_alarm', { reason: `provider says ${to} after ${order.payment}` });
  return false;
}

/** A delayed payment is asked about again; whatever else an order moves to is final until an event says otherwise. */
function computeNextCheck(state: PaymentState, now: number): number | null {
  return state === 'processing' ? now + PROCESSING_RECHECK_MS : null;
}
