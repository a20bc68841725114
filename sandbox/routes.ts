/** The routes of the provider's API that the service and its tests use. */
import type { SandboxContext } from './context.ts';
import { listDisputes } from './disputes.ts';
import { listStripeEvents } from './events.ts';
import { describeObject, parseParameters, type RawParameters } from './parameters.ts';
import { createRefund } from './refunds.ts';
import { createSession, expireSession, listSessions } from './sessions.ts';

interface ProviderApiCall {
  /** The `{id}` in the path; empty if there is none. */
  readonly id: string;
  /** All parameters except `expand`, which every route accepts. */
  readonly raw: RawParameters;
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
  { method: 'POST', path: '/v1/checkout/sessions', handle: createRawHandler(createSession) },
  { method: 'GET', path: '/v1/checkout/sessions', handle: createRawHandler(listSessions) },
  {
    method: 'GET',
    path: '/v1/checkout/sessions/{id}',
    handle: createIdHandler(({ state }, id) => state.requireObject('checkout.session', id)),
  },
  { method: 'POST', path: '/v1/checkout/sessions/{id}/expire', handle: createIdHandler(expireSession) },
  { method: 'POST', path: '/v1/refunds', handle: createRawHandler(createRefund) },
  { method: 'GET', path: '/v1/disputes', handle: createRawHandler(listDisputes) },
  { method: 'GET', path: '/v1/events', handle: createRawHandler(listStripeEvents) },
];

function createRawHandler(
  work: (sandbox: SandboxContext, raw: RawParameters) => object,
): ProviderApiRoute['handle'] {
  return (sandbox, { raw }) => work(sandbox, raw);
}

function createIdHandler(work: (sandbox: SandboxContext, id: string) => object): ProviderApiRoute['handle'] {
  return (sandbox, { id, raw }) => {
    parseParameters(NoParameters, raw);
    return work(sandbox, id);
  };
}
