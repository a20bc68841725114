/** Answers the provider's API: access, faults, idempotency, the work itself, and the envelope around it. */
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
import { computeRequestFingerprint, type IdempotencyStore, type StoredAnswer } from './idempotency.ts';
import { generateStripeId } from './ids.ts';
import { createListParser, createTextParser } from './parameters.ts';
import { CREATE_SESSION_CALL, PROVIDER_API_ROUTES, type ProviderApiRoute, toCallName } from './routes.ts';

export interface ProviderApiParts {
  readonly sandbox: SandboxContext;
  readonly calls: CallRecorder;
  readonly idempotency: IdempotencyStore;
}

interface Work {
  readonly route: ProviderApiRoute;
  readonly request: FastifyRequest;
  readonly requestId: string;
  readonly key: string | null;
  readonly parameters: RawParameters;
  readonly fingerprint: string;
}

export function addProviderApiRoutes(app: FastifyInstance, parts: ProviderApiParts): void {
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
      handler: (request, reply) => handleApiCall(parts, route, request, reply),
    });
  }
}

async function handleApiCall(
  parts: ProviderApiParts,
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
  parts.calls.countCall(call);
  requireApiAccess(request.headers, parts.sandbox.settings.secretKey);

  const key = route.method === 'POST' ? readHeader(request, 'idempotency-key') : null;
  if (key !== null) reply.header('idempotency-key', key);
  const parameters = readParameters(route, request);
  if (call === CREATE_SESSION_CALL) parts.calls.recordCreate({ idempotency_key: key, params: parameters });
  const claim = key === null ? undefined : parts.idempotency.claimKey(key);
  const fault = parts.sandbox.faults.consumeCallFault(call);
  const fingerprint = computeRequestFingerprint(route.method, readPath(request), parameters);
  const work: Work = { route, request, requestId, key, parameters, fingerprint };
  try {
    if (fault?.delay_ms) await sleep(fault.delay_ms);
    if (fault && !fault.after_effect && (await applyFault(parts, fault, work, reply))) return reply;
    const done = performCall(parts, work);
    if (fault?.after_effect && (await applyFault(parts, fault, work, reply))) return reply;
    if (done.request !== requestId) {
      reply.headers({ 'idempotent-replayed': 'true', 'original-request': done.request });
    }
    return reply.code(done.status).type('application/json').send(done.body);
  } finally {
    claim?.release();
  }
}

/** Does the harm that the switch demands; false when it demanded only a delay. */
async function applyFault(
  parts: ProviderApiParts,
  fault: ApiFault,
  work: Work,
  reply: FastifyReply,
): Promise<boolean> {
  const { socket } = work.request.raw;
  if (fault.hang || fault.reset) {
    reply.hijack();
    if (fault.reset) socket.destroy();
    else if (!socket.destroyed) await once(socket, 'close');
    return true;
  }
  if (fault.status === undefined) return false;
  const error = createInjectedError(fault.status);
  if (fault.stored) storeFailure(parts, work, error);
  throw error;
}

/** One transaction for the work, its events and the remembered answer. */
function performCall(parts: ProviderApiParts, work: Work): StoredAnswer {
  const { sandbox } = parts;
  // Sessions that are past their time expire before anybody reads them.
  sandbox.schedule.wake();
  try {
    return sandbox.state.runInTransaction(() => performCallOnce(parts, work));
  } catch (error) {
    if (error instanceof ProviderApiError) throw error;
    const failure = new ProviderApiError(500, { type: 'api_error', message: 'The sandbox failed.' });
    storeFailure(parts, work, failure);
    throw failure;
  } finally {
    sandbox.schedule.wake();
    sandbox.webhooks.wake();
  }
}

function performCallOnce({ sandbox, idempotency }: ProviderApiParts, work: Work): StoredAnswer {
  const { key, fingerprint } = work;
  const known = key === null ? undefined : idempotency.findAnswer(key, fingerprint);
  if (known) return known;

  const { expand = [], ...raw } = work.parameters;
  const paths = createListParser(createTextParser())(expand, 'expand');
  const { id = '' } = work.request.params as { id?: string };
  const cause = { id: work.requestId, idempotency_key: key };
  const result = work.route.handle(sandbox, { id, raw, cause });
  const done = {
    status: 200,
    body: JSON.stringify(expandFields(sandbox, result, paths)),
    request: work.requestId,
  };
  if (key !== null) idempotency.storeAnswer(key, fingerprint, done);
  return done;
}

function storeFailure({ idempotency }: ProviderApiParts, work: Work, error: ProviderApiError): void {
  if (work.key === null) return;
  const failed = { status: error.status, body: serializeErrorEnvelope(error.body), request: work.requestId };
  idempotency.storeAnswer(work.key, work.fingerprint, failed);
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
