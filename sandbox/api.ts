/** Serves the provider's API: checks access, injects faults, handles idempotency, performs the call. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SandboxContext } from './context.ts';
import {
  createInjectedError,
  createInvalidRequestError,
  ProviderApiError,
  serializeErrorEnvelope,
} from './errors.ts';
import { STRIPE_API_VERSION } from './events.ts';
import type { ApiFault, CallRecorder } from './faults.ts';
import { computeRequestFingerprint, type IdempotencyStore, type StoredResponse } from './idempotency.ts';
import { generateStripeId } from './object-values.ts';
import {
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
  readonly requestId: string;
  readonly key: string | null;
  readonly parameters: RawParameters;
  readonly fingerprint: string;
}

export function addProviderApiRoutes(app: FastifyInstance, options: ProviderApiOptions): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, body),
  );
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
  const requestId = generateStripeId('req_');
  reply.headers({
    'request-id': requestId,
    'stripe-version': STRIPE_API_VERSION,
    'cache-control': 'no-cache, no-store',
  });
  const call = toCallName(route);
  options.calls.countCall(call);
  requireApiAccess(request.headers, options.sandbox.settings.secretKey);

  const key = route.method === 'POST' ? readHeader(request, 'idempotency-key') : null;
  if (key !== null) reply.header('idempotency-key', key);
  const parameters = readParameters(route, request);
  if (call === CREATE_SESSION_CALL) options.calls.recordCreate({ idempotency_key: key, params: parameters });
  const claim = key === null ? undefined : options.idempotency.claimKey(key);
  const fault = options.sandbox.faults.consumeCallFault(call);
  const fingerprint = computeRequestFingerprint(route.method, readPath(request), parameters);
  const callRequest: CallRequest = { route, request, requestId, key, parameters, fingerprint };
  try {
    if (fault?.delay_ms) await sleep(fault.delay_ms);
    if (fault && !fault.after_effect && (await applyFault(options, fault, callRequest, reply))) return reply;
    const response = performCall(options, callRequest);
    if (fault?.after_effect && (await applyFault(options, fault, callRequest, reply))) return reply;
    if (response.request !== requestId) {
      reply.headers({ 'idempotent-replayed': 'true', 'original-request': response.request });
    }
    return reply.code(response.status).type('application/json').send(response.body);
  } finally {
    claim?.release();
  }
}

/** Applies an injected fault; returns false if the fault is only a delay. */
async function applyFault(
  options: ProviderApiOptions,
  fault: ApiFault,
  callRequest: CallRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const { socket } = callRequest.request.raw;
  if (fault.hang || fault.reset) {
    reply.hijack();
    if (fault.reset) socket.destroy();
    else if (!socket.destroyed) await once(socket, 'close');
    return true;
  }
  if (fault.status === undefined) return false;
  const error = createInjectedError(fault.status);
  if (fault.stored) storeFailure(options, callRequest, error);
  throw error;
}

/** Runs the call in one transaction with its events and the response stored for its idempotency key. */
function performCall(options: ProviderApiOptions, callRequest: CallRequest): StoredResponse {
  const { sandbox } = options;
  // Expires overdue sessions before the call reads them.
  sandbox.schedule.wake();
  try {
    return sandbox.state.runInTransaction(() => performCallOnce(options, callRequest));
  } catch (error) {
    if (error instanceof ProviderApiError) throw error;
    const failure = new ProviderApiError(500, { type: 'api_error', message: 'The sandbox failed.' });
    storeFailure(options, callRequest, failure);
    throw failure;
  } finally {
    sandbox.schedule.wake();
    sandbox.webhooks.wake();
  }
}

function performCallOnce(
  { sandbox, idempotency }: ProviderApiOptions,
  callRequest: CallRequest,
): StoredResponse {
  const { key, fingerprint } = callRequest;
  const stored = key === null ? undefined : idempotency.findResponse(key, fingerprint);
  if (stored) return stored;

  const { expand = [], ...raw } = callRequest.parameters;
  const { expand: paths } = parseParameters(Expansion, { expand });
  const { id = '' } = callRequest.request.params as { id?: string };
  const cause = { id: callRequest.requestId, idempotency_key: key };
  const result = callRequest.route.handle(sandbox, { id, raw, cause });
  const response = {
    status: 200,
    body: JSON.stringify(expandFields(sandbox, result, paths)),
    request: callRequest.requestId,
  };
  if (key !== null) idempotency.storeResponse(key, fingerprint, response);
  return response;
}

function storeFailure(
  { idempotency }: ProviderApiOptions,
  callRequest: CallRequest,
  error: ProviderApiError,
): void {
  if (callRequest.key === null) return;
  const response = {
    status: error.status,
    body: serializeErrorEnvelope(error.body),
    request: callRequest.requestId,
  };
  idempotency.storeResponse(callRequest.key, callRequest.fingerprint, response);
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
  const key = readApiKey(headers.authorization ?? '');
  if (key === undefined || !isSameSecret(key, secretKey)) {
    const message = key === undefined ? 'No API key was given.' : 'The API key is not valid.';
    throw new ProviderApiError(401, { type: 'invalid_request_error', message });
  }
  // Without the header the account's default version applies, which is the pinned one.
  const version = headers['stripe-version'] ?? STRIPE_API_VERSION;
  if (version !== STRIPE_API_VERSION) {
    throw createInvalidRequestError(`The sandbox speaks only the API version ${STRIPE_API_VERSION}.`);
  }
}

function readApiKey(authorization: string): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization);
  if (bearer) return bearer[1];
  const basic = /^Basic +(\S+)$/i.exec(authorization);
  // RFC 7617 §2: the key is the user name and the password stays empty.
  return basic ? Buffer.from(basic[1]!, 'base64').toString().split(':')[0] : undefined;
}

function isSameSecret(one: string, other: string): boolean {
  const computeDigest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(computeDigest(one), computeDigest(other));
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
        throw createInvalidRequestError(`This property cannot be expanded (${path}).`, { param: 'expand' });
      const found: unknown = object[field];
      if (typeof found === 'string') object[field] = sandbox.state.findObject(kind, found) ?? null;
      object = object[field] as Record<string, unknown> | null;
    }
  }
  return expanded;
}
