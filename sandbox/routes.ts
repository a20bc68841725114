/** The routes of the provider's API that the sandbox supports. */
import type { SandboxContext } from './context.ts';
import { listDisputes, retrieveDispute } from './disputes.ts';
import { type EventCause, listStripeEvents, retrieveStripeEvent } from './events.ts';
import { describeObject, parseParameters, type RawParameters } from './parameters.ts';
import { retrieveCharge, retrievePaymentIntent } from './payments.ts';
import { createRefund, retrieveRefund } from './refunds.ts';
import { createSession, expireSession, listSessions, retrieveSession } from './sessions.ts';

interface ProviderApiCall {
  /** The `{id}` in the path; empty if there is none. */
  readonly id: string;
  /** All parameters except `expand`, which every route accepts. */
  readonly raw: RawParameters;
  readonly cause: EventCause;
}

export interface ProviderApiRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: (sandbox: SandboxContext, call: ProviderApiCall) => object;
}

/** The name of a call in counts and fault switches. */
export function toCallName(route: ProviderApiRoute): string {
  return `${route.method} ${route.path}`;
}

export const CREATE_SESSION_CALL = 'POST /v1/checkout/sessions';

const NoParameters = describeObject({});

export const PROVIDER_API_ROUTES: readonly ProviderApiRoute[] = [
  {
    method: 'POST',
    path: '/v1/checkout/sessions',
    handle: (sandbox, { raw }) => createSession(sandbox, raw),
  },
  { method: 'GET', path: '/v1/checkout/sessions', handle: (sandbox, { raw }) => listSessions(sandbox, raw) },
  { method: 'GET', path: '/v1/checkout/sessions/{id}', handle: createIdHandler(retrieveSession) },
  { method: 'POST', path: '/v1/checkout/sessions/{id}/expire', handle: createIdHandler(expireSession) },
  { method: 'GET', path: '/v1/payment_intents/{id}', handle: createIdHandler(retrievePaymentIntent) },
  { method: 'GET', path: '/v1/charges/{id}', handle: createIdHandler(retrieveCharge) },
  {
    method: 'POST',
    path: '/v1/refunds',
    handle: (sandbox, { raw, cause }) => createRefund(sandbox, raw, cause),
  },
  { method: 'GET', path: '/v1/refunds/{id}', handle: createIdHandler(retrieveRefund) },
  { method: 'GET', path: '/v1/disputes', handle: (sandbox, { raw }) => listDisputes(sandbox, raw) },
  { method: 'GET', path: '/v1/disputes/{id}', handle: createIdHandler(retrieveDispute) },
  { method: 'GET', path: '/v1/events', handle: (sandbox, { raw }) => listStripeEvents(sandbox, raw) },
  { method: 'GET', path: '/v1/events/{id}', handle: createIdHandler(retrieveStripeEvent) },
];

function createIdHandler(
  work: (sandbox: SandboxContext, id: string, cause: EventCause) => object,
): ProviderApiRoute['handle'] {
  return (sandbox, { id, raw, cause }) => {
    parseParameters(NoParameters, raw);
    return work(sandbox, id, cause);
  };
}
