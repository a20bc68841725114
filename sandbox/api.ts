/** Answers the provider's API: access, faults, idempotency, the work itself, and the envelope around it. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkAccess } from './access.ts';
import type { Calls } from './calls.ts';
import type { Till } from './context.ts';
import { ApiError, envelope, injected } from './errors.ts';
import { API_VERSION } from './events.ts';
import { expandAll } from './expand.ts';
import type { ApiFault } from './faults.ts';
import { parseForm, type RawObject } from './form.ts';
import { type Answer, fingerprintOf, type Idempotency } from './idempotency.ts';
import { newId } from './ids.ts';
import { list, text } from './parameters.ts';
import { API_ROUTES, type ApiRoute, CREATE_SESSION, callName } from './routes.ts';

export interface ApiParts {
  readonly till: Till;
  readonly calls: Calls;
  readonly idempotency: Idempotency;
}

interface Work {
  readonly route: ApiRoute;
  readonly request: FastifyRequest;
  readonly requestId: string;
  readonly key: string | null;
  readonly parameters: RawObject;
  readonly fingerprint: string;
}

export function registerApi(app: FastifyInstance, parts: ApiParts): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, body),
  );
  for (const route of API_ROUTES) {
    app.route({
      method: route.method,
      url: route.path.replace('{id}', ':id'),
      handler: (request, reply) => answer(parts, route, request, reply),
    });
  }
}

async function answer(parts: ApiParts, route: ApiRoute, request: FastifyRequest, reply: FastifyReply) {
  const requestId = newId('req_');
  reply.headers({
    'request-id': requestId,
    'stripe-version': API_VERSION,
    'cache-control': 'no-cache, no-store',
  });
  const call = callName(route);
  parts.calls.count(call);
  checkAccess(request.headers, parts.till.settings.secretKey);

  const key = route.method === 'POST' ? headerOf(request, 'idempotency-key') : null;
  if (key !== null) reply.header('idempotency-key', key);
  const parameters = parametersOf(route, request);
  if (call === CREATE_SESSION) parts.calls.keepCreate({ idempotency_key: key, params: parameters });
  const claim = key === null ? undefined : parts.idempotency.claim(key);
  const fault = parts.till.faults.takeForCall(call);
  const fingerprint = fingerprintOf(route.method, pathOf(request), parameters);
  const work: Work = { route, request, requestId, key, parameters, fingerprint };
  try {
    if (fault?.delay_ms) await sleep(fault.delay_ms);
    if (fault && !fault.after_effect && (await fail(parts, fault, work, reply))) return reply;
    const done = perform(parts, work);
    if (fault?.after_effect && (await fail(parts, fault, work, reply))) return reply;
    if (done.request !== requestId) {
      reply.headers({ 'idempotent-replayed': 'true', 'original-request': done.request });
    }
    return reply.code(done.status).type('application/json').send(done.body);
  } finally {
    claim?.release();
  }
}

/** Does the harm that the switch demands; false when it demanded only a delay. */
async function fail(parts: ApiParts, fault: ApiFault, work: Work, reply: FastifyReply): Promise<boolean> {
  const { socket } = work.request.raw;
  if (fault.hang || fault.reset) {
    reply.hijack();
    if (fault.reset) socket.destroy();
    else if (!socket.destroyed) await once(socket, 'close');
    return true;
  }
  if (fault.status === undefined) return false;
  const error = injected(fault.status);
  if (fault.stored) rememberFailure(parts, work, error);
  throw error;
}

/** One transaction for the work, its events and the remembered answer. */
function perform(parts: ApiParts, work: Work): Answer {
  const { till } = parts;
  // Sessions that are past their time expire before anybody reads them.
  till.schedule.wake();
  try {
    return till.state.transaction(() => performOnce(parts, work));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const failure = new ApiError(500, { type: 'api_error', message: 'The sandbox failed.' });
    rememberFailure(parts, work, failure);
    throw failure;
  } finally {
    till.schedule.wake();
    till.webhooks.wake();
  }
}

function performOnce({ till, idempotency }: ApiParts, work: Work): Answer {
  const { key, fingerprint } = work;
  const known = key === null ? undefined : idempotency.recall(key, fingerprint);
  if (known) return known;

  const { expand = [], ...raw } = work.parameters;
  const paths = list(text())(expand, 'expand');
  const { id = '' } = work.request.params as { id?: string };
  const cause = { id: work.requestId, idempotency_key: key };
  const result = work.route.handle(till, { id, raw, cause });
  const done = { status: 200, body: JSON.stringify(expandAll(till, result, paths)), request: work.requestId };
  if (key !== null) idempotency.remember(key, fingerprint, done);
  return done;
}

function rememberFailure({ idempotency }: ApiParts, work: Work, error: ApiError): void {
  if (work.key === null) return;
  const failed = { status: error.status, body: envelope(error.body), request: work.requestId };
  idempotency.remember(work.key, work.fingerprint, failed);
}

function parametersOf(route: ApiRoute, request: FastifyRequest): RawObject {
  if (route.method === 'POST') return parseForm((request.body ?? '') as string);
  const url = request.raw.url ?? '';
  return parseForm(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

function pathOf(request: FastifyRequest): string {
  return (request.raw.url ?? '').split('?')[0]!;
}

function headerOf(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
