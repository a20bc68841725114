/** Creates the Fastify server with limits, security headers, request ids, problem responses and a request log. */
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
  readonly sendProblemPage: ProblemPageSender;
}

export async function createHttpServer(dependencies: HttpServerDependencies): Promise<App> {
  const handleError = createErrorHandler(dependencies);
  const app = createFastifyInstance(dependencies, handleError);
  app.setErrorHandler(handleError);
  app.addHook('onRoute', requireRouteAccess);
  addBodyTimeout(app);
  addCors(app);
  addRequestChecks(app, dependencies);
  addRequestLog(app, dependencies.log);
  addConnectionClosing(app);
  addJsonParser(app);
  app.server.on('checkExpectation', createExpectationHandler(dependencies.addresses));
  addLoadShedding(app);
  if (dependencies.config.rateLimit) await addRateLimit(app, dependencies.clock);
  addNotFoundCheck(app);
  return app;
}

function createFastifyInstance(
  { config, addresses, certificate, log }: HttpServerDependencies,
  handleError: ReturnType<typeof createErrorHandler>,
): App {
  const httpOptions = {
    maxHeaderSize: httpLimits.headerBytes,
    headersTimeout: httpLimits.headersMs,
    connectionsCheckingInterval: httpLimits.checkMs,
    requireHostHeader: false, // Node would send an empty 400; our own check explains the refusal.
  };
  const transport = certificate
    ? {
        https: {
          ...httpOptions,
          key: certificate.key,
          cert: certificate.cert,
          minVersion: 'TLSv1.2',
          handshakeTimeout: httpLimits.handshakeMs,
        },
      }
    : { http: httpOptions };
  const options = {
    ...transport,
    logger: false,
    trustProxy: config.tls.mode === 'proxy' ? [...config.tls.trustedProxies] : false,
    genReqId: generateId,
    bodyLimit: httpLimits.jsonBytes,
    // Node has one limit for all requests; `addBodyTimeout` has a shorter one for small bodies.
    requestTimeout: httpLimits.uploadMs,
    handlerTimeout: httpLimits.responseMs,
    keepAliveTimeout: httpLimits.keepAliveMs,
    connectionTimeout: httpLimits.silenceMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: httpLimits.pathParameterLength },
    clientErrorHandler: createClientErrorHandler(addresses, httpsHeaders),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      handleError(error, request, reply.headers(httpsHeaders).header('x-request-id', request.id));
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
  // Fastify's type depends on the transport, which is known only at run time.
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

/** RFC 9112 §3.2: a request without a Host header or with several is refused; Node would use the first. */
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

/** Fastify keeps connections of requests that began before closing, which would delay the shutdown by seconds. */
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
