/** Serves the provider's API: checks access, injects faults, handles idempotency, performs the call. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireApiAccess } from './access.ts';
import type { CallRecorder } from './calls.ts';
import type { SandboxContext } from './context.ts';
import { createInjectedError, ProviderApiError, serializeErrorEnvelope } from './errors.ts';
import { STRIPE_API_VERSION } from './events.ts';
import { expandFields } from './expand.ts';
import type { ApiFault } from './faults.ts';
import { parseBracketForm, type RawParameters } from './form.ts';
import { computeRequestFingerprint, type IdempotencyStore, type StoredResponse } from './idempotency.ts';
import { generateStripeId } from './ids.ts';
import { createListParser, createTextParser } from './parameters.ts';
import { CREATE_SESSION_CALL, PROVIDER_API_ROUTES, type ProviderApiRoute, toCallName } from './routes.ts';

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
  const paths = createListParser(createTextParser())(expand, 'expand');
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
  if (route.method === 'POST') return parseBracketForm((request.body ?? '') as string);
  const url = request.raw.url ?? '';
  return parseBracketForm(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

function readPath(request: FastifyRequest): string {
  return (request.raw.url ?? '').split('?')[0]!;
}

function readHeader(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
