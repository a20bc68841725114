/** Lists the part of the provider's API that the sandbox speaks. */
import { retrieveCharge } from './charges.ts';
import type { Till } from './context.ts';
import { listDisputes, retrieveDispute } from './disputes.ts';
import { type Cause, listEvents, retrieveEvent } from './events.ts';
import type { RawObject } from './form.ts';
import { object } from './parameters.ts';
import { retrievePaymentIntent } from './payment-intents.ts';
import { createRefund, listRefunds, retrieveRefund } from './refunds.ts';
import { createSession, expireSession, listLineItems, listSessions, retrieveSession } from './sessions.ts';

export interface ApiCall {
  /** The `{id}` of the path, empty where there is none. */
  readonly id: string;
  /** Everything but `expand`, which all routes take. */
  readonly raw: RawObject;
  readonly cause: Cause;
}

export interface ApiRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: (till: Till, call: ApiCall) => object;
}

/** How calls are named in counts and fault switches. */
export function callName(route: ApiRoute): string {
  return `${route.method} ${route.path}`;
}

export const CREATE_SESSION = 'POST /v1/checkout/sessions';

const noParameters = object({}, {});

export const API_ROUTES: readonly ApiRoute[] = [
  { method: 'POST', path: '/v1/checkout/sessions', handle: (till, { raw }) => createSession(till, raw) },
  { method: 'GET', path: '/v1/checkout/sessions', handle: (till, { raw }) => listSessions(till, raw) },
  { method: 'GET', path: '/v1/checkout/sessions/{id}', handle: byId(retrieveSession) },
  {
    method: 'POST',
    path: '/v1/checkout/sessions/{id}/expire',
    handle: byId((till, id, cause) => expireSession(till, id, cause)),
  },
  {
    method: 'GET',
    path: '/v1/checkout/sessions/{id}/line_items',
    handle: (till, { id, raw }) => listLineItems(till, id, raw),
  },
  { method: 'GET', path: '/v1/payment_intents/{id}', handle: byId(retrievePaymentIntent) },
  { method: 'GET', path: '/v1/charges/{id}', handle: byId(retrieveCharge) },
  { method: 'POST', path: '/v1/refunds', handle: (till, { raw, cause }) => createRefund(till, raw, cause) },
  { method: 'GET', path: '/v1/refunds', handle: (till, { raw }) => listRefunds(till, raw) },
  { method: 'GET', path: '/v1/refunds/{id}', handle: byId(retrieveRefund) },
  { method: 'GET', path: '/v1/disputes', handle: (till, { raw }) => listDisputes(till, raw) },
  { method: 'GET', path: '/v1/disputes/{id}', handle: byId(retrieveDispute) },
  { method: 'GET', path: '/v1/events', handle: (till, { raw }) => listEvents(till, raw) },
  { method: 'GET', path: '/v1/events/{id}', handle: byId(retrieveEvent) },
];

function byId(work: (till: Till, id: string, cause: Cause) => object): ApiRoute['handle'] {
  return (till, { id, raw, cause }) => {
    noParameters(raw, '');
    return work(till, id, cause);
  };
}
