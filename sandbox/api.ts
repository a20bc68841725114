/** Serves the provider's API: checks access, injects faults, handles idempotency, performs the call. */
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SandboxContext } from './context.ts';
import { createInjectedError, createInvalidRequestError, ProviderApiError } from './errors.ts';
import { STRIPE_API_VERSION } from './events.ts';
import type { ApiFault, CallRecorder } from './faults.ts';
import { computeRequestFingerprint, type IdempotencyStore } from './idempotency.ts';
import { generateStripeId } from './object-values.ts';
import {
  acceptFormsAlone,
  describeObject,
  describeText,
  parseForm,
  parseParameters,
  type RawParameters,
} from './parameters.ts';
import { CREATE_SESSION_CALL, PROVIDER_API_ROUTES, type ProviderApiRoute, toCallName } from './routes.ts';
import type { StripeObjectKind } from './state.ts';

export interface ProviderApiOptions {
  readonly sandbox: SandboxContext;
  readonly calls: CallRecorder;
  readonly idempotency: IdempotencyStore;
}

interface CallRequest {
  readonly route: ProviderApiRoute;
  readonly request: FastifyRequest;
  readonly key: string | null;
  readonly parameters: RawParameters;
}

export function addProviderApiRoutes(app: FastifyInstance, options: ProviderApiOptions): void {
  acceptFormsAlone(app);
  for (const route of PROVIDER_API_ROUTES) {
    app.route({
      method: route.method,
      url: route.path.replace('{id}', ':id'),
      handler: (request, reply) => handleApiCall(options, route, request, reply),
    });
  }
}

async function handleApiCall(
  options: ProviderApiOptions,
  route: ProviderApiRoute,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  reply.headers({
    'request-id': generateStripeId('req_'),
    'stripe-version': STRIPE_API_VERSION,
    'cache-control': 'no-cache, no-store',
  });
  const call = toCallName(route);
  options.calls.countCall(call);
  requireApiAccess(request.headers, options.sandbox.settings.secretKey);

  const key = route.method === 'POST' ? readHeader(request, 'idempotency-key') : null;
  const parameters = readParameters(route, request);
  if (call === CREATE_SESSION_CALL) options.calls.recordCreate({ idempotency_key: key, params: parameters });
  const claim = key === null ? undefined : options.idempotency.claimKey(key);
  const fault = options.sandbox.faults.consumeCallFault(call);
  const callRequest: CallRequest = { route, request, key, parameters };
  try {
    if (fault && !fault.after_effect) return await applyFault(fault, request, reply);
    const body = performCall(options, callRequest);
    return fault ? await applyFault(fault, request, reply) : reply.type('application/json').send(body);
  } finally {
    claim?.release();
  }
}

async function applyFault(fault: ApiFault, request: FastifyRequest, reply: FastifyReply) {
  if (fault.final) reply.header('stripe-should-retry', 'false');
  if (fault.status !== undefined) throw createInjectedError(fault.status);
  const { socket } = request.raw;
  reply.hijack();
  if (fault.reset) socket.destroy();
  else if (!socket.destroyed) await once(socket, 'close');
  return reply;
}

/** Runs the call in one transaction with its events and the response stored for its idempotency key. */
function performCall({ sandbox, idempotency }: ProviderApiOptions, callRequest: CallRequest): string {
  // Expires overdue sessions before the call reads them.
  sandbox.schedule.wake();
  try {
    return sandbox.state.runInTransaction(() => performCallOnce(sandbox, idempotency, callRequest));
  } finally {
    sandbox.schedule.wake();
    sandbox.webhooks.wake();
  }
}

function performCallOnce(
  sandbox: SandboxContext,
  idempotency: IdempotencyStore,
  { route, request, key, parameters }: CallRequest,
): string {
  const fingerprint = computeRequestFingerprint(route.method, readPath(request), parameters);
  const stored = key === null ? undefined : idempotency.findResponse(key, fingerprint);
  if (stored !== undefined) return stored;

  const { expand = [], ...raw } = parameters;
  const { expand: paths } = parseParameters(Expansion, { expand });
  const { id = '' } = request.params as { id?: string };
  const body = JSON.stringify(expandFields(sandbox, route.handle(sandbox, { id, raw }), paths));
  if (key !== null) idempotency.storeResponse(key, fingerprint, body);
  return body;
}

function readParameters(route: ProviderApiRoute, request: FastifyRequest): RawParameters {
  if (route.method === 'POST') return parseForm((request.body ?? '') as string);
  const url = request.raw.url ?? '';
  return parseForm(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

function readPath(request: FastifyRequest): string {
  return (request.raw.url ?? '').split('?')[0]!;
}

function readHeader(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Requires the configured API key and the pinned API version. */
function requireApiAccess(headers: IncomingHttpHeaders, secretKey: string): void {
  if (headers.authorization !== `Bearer ${secretKey}`)
    throw new ProviderApiError(401, { type: 'invalid_request_error', message: 'The API key is not valid.' });
  // Without the header, the account's default version applies, which is the pinned one.
  const version = headers['stripe-version'] ?? STRIPE_API_VERSION;
  if (version !== STRIPE_API_VERSION)
    throw createInvalidRequestError(`The sandbox speaks only the API version ${STRIPE_API_VERSION}.`);
}

const Expansion = describeObject({ expand: Type.Array(describeText()) });

const EXPANDABLE: Readonly<Record<string, StripeObjectKind>> = {
  payment_intent: 'payment_intent',
  latest_charge: 'charge',
  charge: 'charge',
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
        throw createInvalidRequestError(`This property cannot be expanded (${path}).`, 'expand');
      const found: unknown = object[field];
      if (typeof found === 'string') object[field] = sandbox.state.findObject(kind, found) ?? null;
      object = object[field] as Record<string, unknown> | null;
    }
  }
  return expanded;
}
