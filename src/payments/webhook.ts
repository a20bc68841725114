/** Receives the provider's events: verifies signature and mode, and applies each event once. */
import type { Stripe } from 'stripe';
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { computeEventTag, isProviderEventRecorded } from '#store/provider-events.ts';
import { fulfilOrder } from './fulfil.ts';

/** These events contain the session; those below contain only a payment, whose session has to be looked up. */
const SESSION_EVENTS: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
]);
const PAYMENT_EVENTS: ReadonlySet<string> = new Set([
  'charge.refunded',
  'charge.refund.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
]);
/** The buyer has paid: answering 200 without finding the order would lose the payment. */
const MUST_RESOLVE: ReadonlySet<string> = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
]);

export async function receiveProviderEvent(
  services: Services,
  body: Buffer,
  signature: string | undefined,
): Promise<void> {
  if (!services.gateway.configured) throw new ServiceError('payments_not_configured');
  if (signature === undefined) throw new ServiceError('signature_invalid');
  const event = await services.gateway.verifyWebhookEvent(body, signature);
  if (event.livemode !== services.gateway.livemode) {
    services.log.event('payment_alarm', { reason: 'event of the other mode' });
    throw new ServiceError('event_refused');
  }
  const tag = computeEventTag(services.keyring, event.id);
  if (await isProviderEventRecorded(services.store.records, tag)) return;
  // Concurrent deliveries of one event share one request to the provider, which is always later than the event.
  const resolved = await services.singleFlight(`event ${event.id}`, () =>
    resolveProviderEvent(services, event),
  );
  if (resolved || !MUST_RESOLVE.has(event.type)) return;
  services.log.event('payment_alarm', { reason: 'paid session without an order' });
  throw new ServiceError('event_unresolved');
}

async function resolveProviderEvent(
  services: Pick<Services, 'clock' | 'log' | 'keyring' | 'store' | 'gateway'>,
  event: Stripe.Event,
): Promise<boolean> {
  const sessionId = await findEventSession(services, event);
  return sessionId !== null && (await fulfilOrder(services, sessionId, event.id)) !== null;
}

async function findEventSession(
  { gateway }: Pick<Services, 'gateway'>,
  event: Stripe.Event,
): Promise<string | null> {
  const object = event.data.object as { id?: string; payment_intent?: string | { id: string } | null };
  if (SESSION_EVENTS.has(event.type)) return object.id ?? null;
  if (!PAYMENT_EVENTS.has(event.type) || !object.payment_intent) return null;
  const { payment_intent: payment } = object;
  return await gateway.findSessionByPayment(typeof payment === 'string' ? payment : payment.id);
}
