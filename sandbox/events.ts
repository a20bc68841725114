/** Stores the provider's event objects and enqueues them for the webhook. */
import type { Stripe } from 'stripe';
import { Type } from 'typebox';
import type { SandboxContext } from './context.ts';
import { generateStripeId, getUnixSeconds } from './object-values.ts';
import { describeObject, describeText, parseParameters, type RawParameters } from './parameters.ts';
import { listStripeObjects, Page, type StripeObjectByKind, type StripeObjectKind } from './state.ts';

/** The pinned API version: events contain it, and requests must not specify another one. */
export const STRIPE_API_VERSION: typeof Stripe.API_VERSION = '2026-10-28.endive';

export function emitStripeEvent(
  sandbox: SandboxContext,
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
  sandbox.state.storeObject(event as Stripe.Event);
  sandbox.webhooks.enqueue(event.id);
  return event.id;
}

const ListParameters = describeObject({ ...Page, type: Type.Optional(describeText()) });

export function listStripeEvents(sandbox: SandboxContext, raw: RawParameters): Stripe.ApiList<Stripe.Event> {
  return listStripeObjects(sandbox.state, 'event', '/v1/events', parseParameters(ListParameters, raw));
}
