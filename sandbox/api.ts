/** Serves the provider's API: checks access, injects faults, handles idempotency, performs the call. */
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SandboxContext } from './context.ts';
import { ProviderApiError } from './errors.ts';
import { STRIPE_API_VERSION } from './events.ts';
import type { ApiFault } from './faults.ts';
import { IdempotencyStore } from './idempotency.ts';
import {
  acceptFormsAlone,
  describeInteger,
  describeObject,
  describeText,
  parseForm,
  parseParameters,
  type RawParameters,
} from './parameters.ts';
import { createRefund } from './returned-money.ts';
import { createSession, expireSession } from './sessions.ts';
import { generateStripeId, type StripeObjectFilter, type StripeObjectKind } from './state.ts';

interface ProviderApiRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** `raw` has all parameters except `expand`, which every route accepts. */
  readonly handle: (sandbox: SandboxContext, raw: RawParameters, id: string) => object;
}

const CREATE_SESSION_CALL = 'POST /v1/checkout/sessions';
const NoParameters = describeObject({});

/** Those that the service and its tests use. */
const routes: readonly ProviderApiRoute[] = [
  { method: 'POST', path: '/v1/checkout/sessions', handle: createSession },
  createListRoute('/v1/checkout/sessions', 'checkout.session', 'payment_intent'),
  {
    method: 'GET',
    path: '/v1/checkout/sessions/{id}',
    handle: ({ state }, raw, id) => {
      parseParameters(NoParameters, raw);
      return state.requireObject('checkout.session', id);
    },
  },
  {
    method: 'POST',
    path: '/v1/checkout/sessions/{id}/expire',
    handle: (sandbox, raw, id) => {
      parseParameters(NoParameters, raw);
      return expireSession(sandbox, id);
    },
  },
  { method: 'POST', path: '/v1/refunds', handle: createRefund },
  createListRoute('/v1/disputes', 'dispute', 'payment_intent'),
  createListRoute('/v1/events', 'event', 'type'),
];

/** The names of the calls, in counts and fault switches. */
export const CALL_NAMES: ReadonlySet<string> = new Set(routes.map(toCallName));

function toCallName({ method, path }: ProviderApiRoute): string {
  return `${method} ${path}`;
}

/** The list can be narrowed by one field. */
function createListRoute(
  path: string,
  kind: StripeObjectKind,
  field: keyof StripeObjectFilter,
): ProviderApiRoute {
  const parameters = describeObject({
    limit: Type.Optional(describeInteger({ minimum: 1, maximum: 100 })),
    [field]: Type.Optional(describeText()),
  });
  const handle: ProviderApiRoute['handle'] = ({ state }, raw) => {
    const query = parseParameters(parameters, raw) as StripeObjectFilter & { readonly limit?: number };
    const { limit = 10, ...filter } = query;
    const found = state.listObjects(kind, filter, limit + 1);
    return { object: 'list', data: found.slice(0, limit), has_more: found.length > limit, url: path };
  };
  return { method: 'GET', path, handle };
}

export function addProviderApiRoutes(app: FastifyInstance, sandbox: SandboxContext): void {
  acceptFormsAlone(app);
  const idempotency = new IdempotencyStore(sandbox.state);
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path.replace('{id}', ':id'),
      handler: (request, reply) => handleApiCall(sandbox, idempotency, { route, request, reply }),
    });
  }
}

interface ApiCall {
  readonly route: ProviderApiRoute;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function handleApiCall(sandbox: SandboxContext, idempotency: IdempotencyStore, apiCall: ApiCall) {
  const { route, request, reply } = apiCall;
  reply.headers({
    'request-id': generateStripeId('req_'),
    'stripe-version': STRIPE_API_VERSION,
    'cache-control': 'no-cache, no-store',
  });
  const name = toCallName(route);
  sandbox.calls.countCall(name);
  requireApiAccess(request.headers, sandbox.settings.secretKey);

  const key = route.method === 'POST' ? readIdempotencyKey(request) : null;
  const parameters = readParameters(route, request);
  if (name === CREATE_SESSION_CALL) sandbox.calls.recordCreate({ idempotency_key: key, params: parameters });
  const claim = key === null ? undefined : idempotency.claimKey(key);
  const fault = sandbox.faults.consumeCallFault(name);
  const perform = () => performCall(sandbox, apiCall, parameters);
  try {
    if (fault && !fault.after_effect) return await applyFault(fault, request, reply);
    // Expires overdue sessions before the call reads them.
    sandbox.schedule.wake();
    // One transaction for the call, its events and the response stored for its idempotency key.
    const body = sandbox.state.runInTransaction(() => {
      if (key === null) return perform();
      const path = (request.raw.url ?? '').split('?')[0]!;
      return idempotency.performOnce(key, `${route.method} ${path} ${JSON.stringify(parameters)}`, perform);
    });
    return fault ? await applyFault(fault, request, reply) : reply.type('application/json').send(body);
  } finally {
    claim?.release();
  }
}

/** Fails as a test has requested. */
async function applyFault({ final, status, reset }: ApiFault, request: FastifyRequest, reply: FastifyReply) {
  if (final) reply.header('stripe-should-retry', 'false');
  if (status !== undefined)
    throw new ProviderApiError(status, `The sandbox was told to answer ${status}.`, {
      ...(status === 429 && { code: 'rate_limit' }),
      ...(status >= 500 && { type: 'api_error' }),
    });
  const { socket } = request.raw;
  reply.hijack();
  if (reset) socket.destroy();
  else if (!socket.destroyed) await once(socket, 'close');
  return reply;
}

function performCall(
  sandbox: SandboxContext,
  { route, request }: ApiCall,
  { expand = [], ...raw }: RawParameters,
): string {
  const { expand: paths } = parseParameters(Expansion, { expand });
  const { id = '' } = request.params as { id?: string };
  return JSON.stringify(expandFields(sandbox, route.handle(sandbox, raw, id), paths));
}

function readParameters(route: ProviderApiRoute, request: FastifyRequest): RawParameters {
  if (route.method === 'POST') return parseForm((request.body ?? '') as string);
  const url = request.raw.url ?? '';
  return parseForm(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

function readIdempotencyKey({ headers }: FastifyRequest): string | null {
  const value = headers['idempotency-key'];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Requires the configured API key and the pinned API version. */
function requireApiAccess(headers: IncomingHttpHeaders, secretKey: string): void {
  if (headers.authorization !== `Bearer ${secretKey}`)
    throw new ProviderApiError(401, 'The API key is not valid.');
  // Without the header, the account's default version applies, which is the pinned one.
  const version = headers['stripe-version'] ?? STRIPE_API_VERSION;
  if (version !== STRIPE_API_VERSION)
    throw new ProviderApiError(400, `The sandbox speaks only the API version ${STRIPE_API_VERSION}.`);
}

const Expansion = describeObject({ expand: Type.Array(describeText()) });

const EXPANDABLE: Readonly<Record<string, StripeObjectKind>> = {
  payment_intent: 'payment_intent',
  latest_charge: 'charge',
};

/** Replaces ids by whole objects in the fields that a request expands. */
function expandFields(sandbox: SandboxContext, response: object, paths: readonly string[]): object {
  const expanded = structuredClone(response) as Record<string, unknown>;
  for (const path of paths) {
    let object: Record<string, unknown> | null = expanded;
    for (const field of path.split('.')) {
      if (object === null) break;
      const kind = EXPANDABLE[field];
      if (!kind || !(field in object))
        throw new ProviderApiError(400, `This property cannot be expanded (${path}).`, { param: 'expand' });
      const found: unknown = object[field];
      if (typeof found === 'string') object[field] = sandbox.state.findObject(kind, found) ?? null;
      object = object[field] as Record<string, unknown> | null;
    }
  }
  return expanded;
}
