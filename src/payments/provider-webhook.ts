/** Receives the provider's events: verifies signature and mode, and applies each event once. */
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { computeEventTag, isProviderEventRecorded } from '#store/orders/provider-events.ts';
import { fulfilOrder } from './fulfil.ts';
import type { PaymentEvent } from './payment-provider.ts';

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
  const resolved = await services.singleFlight(`event ${event.id}`, () =>
    resolveProviderEvent(services, event),
  );
  if (resolved || !event.mustResolve) return;
  services.log.event('payment_alarm', { reason: 'paid session without an order' });
  throw new ServiceError('event_unresolved');
}

async function resolveProviderEvent(
  services: Pick<Services, 'clock' | 'log' | 'keyring' | 'store' | 'paymentProvider'>,
  event: PaymentEvent,
): Promise<boolean> {
  const sessionId = await event.findSession();
  return sessionId !== null && (await fulfilOrder(services, sessionId, event.id)) !== null;
}
