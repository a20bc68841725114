/** A Fastify server with the house's conventions: limits, headers, request ids, problems, one log line a request. */
import { type FastifyReply, type FastifyRequest, fastify, type RouteOptions } from 'fastify';
import type { PublicAddresses } from '#platform/addresses.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { isMediaTypeAccepted } from './accept.ts';
import type { App } from './app.ts';
import { addBodyTimeout } from './body-timeout.ts';
import type { Certificate } from './certificate.ts';
import { addCors } from './cors.ts';
import { httpsHeaders } from './headers.ts';
import { parseJson } from './json.ts';
import { httpLimits } from './limits.ts';
import { addLoadShedding } from './load-shedding.ts';
import { addNotFoundCheck } from './not-found.ts';
import { createErrorHandler, type ErrorTranslator, type ProblemPageSender } from './problem.ts';
import { addRateLimit } from './rate-limit.ts';
import { createClientErrorHandler, createExpectationHandler } from './wire-error.ts';

export interface HttpServerDependencies {
  readonly config: Config;
  readonly addresses: PublicAddresses;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent behind a TLS proxy. */
  readonly certificate: Certificate | null;
  readonly translate: ErrorTranslator;
  readonly showProblem: ProblemPageSender;
}

export async function createHttpServer(parts: HttpServerDependencies): Promise<App> {
  const answer = createErrorHandler(parts);
  const app = createFastifyInstance(parts, answer);
  app.setErrorHandler(answer);
  app.addHook('onRoute', requireRouteAccess);
  addBodyTimeout(app);
  addCors(app);
  addRequestChecks(app, parts);
  addRequestLog(app, parts.log);
  addConnectionClosing(app);
  addJsonParser(app);
  app.server.on('checkExpectation', createExpectationHandler(parts.addresses));
  addLoadShedding(app);
  if (parts.config.rateLimit) await addRateLimit(app, parts.clock);
  addNotFoundCheck(app);
  return app;
}

function createFastifyInstance(
  { config, addresses, certificate, log }: HttpServerDependencies,
  answer: ReturnType<typeof createErrorHandler>,
): App {
  const wire = {
    maxHeaderSize: httpLimits.headerBytes,
    headersTimeout: httpLimits.headersMs,
    connectionsCheckingInterval: httpLimits.checkMs,
    requireHostHeader: false, // Node would answer with an empty 400; the request checks say why.
  };
  const transport = certificate
    ? {
        https: {
          ...wire,
          key: certificate.key,
          cert: certificate.cert,
          minVersion: 'TLSv1.2',
          handshakeTimeout: httpLimits.handshakeMs,
        },
      }
    : { http: wire };
  const options = {
    ...transport,
    logger: false,
    trustProxy: config.tls.mode === 'proxy' ? [...config.tls.trustedProxies] : false,
    genReqId: generateId,
    bodyLimit: httpLimits.jsonBytes,
    // Node knows one limit for all requests; small bodies have their own.
    requestTimeout: httpLimits.uploadMs,
    handlerTimeout: httpLimits.answerMs,
    keepAliveTimeout: httpLimits.keepAliveMs,
    connectionTimeout: httpLimits.silenceMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: httpLimits.pathParameterLength },
    clientErrorHandler: createClientErrorHandler(addresses, httpsHeaders),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      answer(error, request, reply.headers(httpsHeaders).header('x-request-id', request.id));
      log.event('request', {
        method: request.method,
        route: 'unknown',
        status: reply.statusCode,
        request_id: request.id,
      });
    },
    ajv: {
      customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, allErrors: true },
    },
  };
  // Fastify types a server by its transport; which one it is, is decided only here.
  return fastify(options as Parameters<typeof fastify>[0]) as unknown as App;
}

function requireRouteAccess(route: RouteOptions): void {
  if (!route.config?.access)
    throw new Error(`the route ${route.method} ${route.url} does not state its access`);
}

function addRequestChecks(app: App, { config }: HttpServerDependencies): void {
  const behindProxy = config.tls.mode === 'proxy';
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(httpsHeaders).header('x-request-id', request.id);
    if (countHostHeaders(request.raw.rawHeaders) !== 1)
      return done(
        new ServiceError('malformed_request', { detail: 'A request has exactly one Host header.' }),
      );
    if (behindProxy && request.protocol !== 'https') return done(new ServiceError('https_required'));
    if (request.headers['content-encoding'] !== undefined)
      return done(new ServiceError('unsupported_media_type'));
    const { produces = 'application/json' } = request.routeOptions.config;
    if (!request.is404 && produces !== '*/*' && !isMediaTypeAccepted(request.raw, produces))
      return done(new ServiceError('not_acceptable'));
    done();
  });
}

/** RFC 9112 §3.2: none or several are refused; Node would quietly take the first. */
function countHostHeaders(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') count += 1;
  return count;
}

function addRequestLog(app: App, log: Log): void {
  app.addHook('onResponse', (request, reply, done) => {
    log.event('request', {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      request_id: request.id,
    });
    done();
  });
}

/** Fastify lets requests that began before closing keep their connection; that would hold the stop for seconds. */
function addConnectionClosing(app: App): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });
}

function addJsonParser(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}
