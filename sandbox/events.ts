/** Stores the provider's event objects and enqueues them for the webhook. */
import type { Stripe } from 'stripe';
import type { SandboxContext } from './context.ts';
import { generateStripeId, getUnixSeconds, type StripeObjectByKind, type StripeObjectKind } from './state.ts';

/** The pinned API version: events contain it, and requests must not specify another one. */
export const STRIPE_API_VERSION: typeof Stripe.API_VERSION = '2026-10-28.endive';

/** Returns the id of the event. */
export function emitStripeEvent(
  { state, webhooks }: SandboxContext,
  type: Stripe.Event.Type,
  snapshot: StripeObjectByKind[StripeObjectKind],
): string {
  const event: Stripe.EventBase = {
    id: generateStripeId('evt_'),
    object: 'event',
    api_version: STRIPE_API_VERSION,
    created: getUnixSeconds(),
    data: { object: snapshot },
    livemode: false,
    pending_webhooks: 1,
    request: null,
    type,
  };
  state.storeObject(event as Stripe.Event);
  webhooks.enqueue(event.id);
  return event.id;
}
