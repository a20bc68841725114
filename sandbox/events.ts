/** Records what happened as the provider's event objects and hands them to the webhook queue. */
import type { Stripe } from 'stripe';
import { unixNow } from './clock.ts';
import type { Till } from './context.ts';
import { noSuch } from './errors.ts';
import type { RawObject } from './form.ts';
import { newId } from './ids.ts';
import { listObjects, listParameters } from './lists.ts';
import { list, object, text } from './parameters.ts';
import type { Kind, Kinds } from './state.ts';

/** The API request behind an event; both null when the buyer or the clock was the cause. */
export interface Cause {
  readonly id: string | null;
  readonly idempotency_key: string | null;
}

export const NO_REQUEST: Cause = Object.freeze({ id: null, idempotency_key: null });

/** The pinned version: the events say it, and requests may ask for no other. */
export const API_VERSION: typeof Stripe.API_VERSION = '2026-10-28.endive';

export function emit<K extends Exclude<Kind, 'event'>>(
  till: Till,
  type: Stripe.Event.Type,
  snapshot: Kinds[K],
  context: { readonly cause: Cause; readonly previous?: Partial<Kinds[K]> },
): string {
  const event: Stripe.EventBase = {
    id: newId('evt_'),
    object: 'event',
    api_version: API_VERSION,
    created: unixNow(),
    data: {
      object: snapshot,
      ...(context.previous && { previous_attributes: context.previous }),
    },
    livemode: false,
    pending_webhooks: 1,
    request: { id: context.cause.id, idempotency_key: context.cause.idempotency_key },
    type,
  };
  till.state.put(event as Stripe.Event);
  till.webhooks.enqueue(event.id);
  return event.id;
}

export function retrieveEvent(till: Till, id: string): Stripe.Event {
  const event = till.state.get('event', id);
  if (event === undefined) throw noSuch('event', id);
  return event;
}

const parameters = object({}, { ...listParameters, type: text(), types: list(text()) });

export function listEvents(till: Till, raw: RawObject): Stripe.ApiList<Stripe.Event> {
  const { type, types, ...page } = parameters(raw, '');
  const wanted = types ?? (type === undefined ? undefined : [type]);
  return listObjects(till.state, 'event', '/v1/events', { page, types: wanted });
}
