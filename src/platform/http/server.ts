/** Creates the Fastify server with limits, security headers, request ids, problem responses and a request log. */
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type FastifyRequest, fastify, type RouteOptions } from 'fastify';
import type { PublicAddresses } from '#platform/addresses.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import { generateId } from '#platform/text/ids.ts';
import { isMediaTypeAccepted, MARKDOWN_MEDIA_TYPE } from './accept.ts';
import type { App } from './app-type.ts';
import type { Certificate } from './certificate.ts';
import { countParameters } from './form-post.ts';
import { addCors, httpsHeaders } from './headers.ts';
import { parseJson, requireUtf8 } from './json.ts';
import { type AddressHasher, addCallerNames, createAddressHasher } from './limits/address-hash.ts';
import { BoundedRequest, boundUnanswered } from './limits/connection-limits.ts';
import { addBodyTimeout, addRequestsInFlight } from './limits/deadlines.ts';
import { httpLimits } from './limits/limits.ts';
import { addLoadShedding, addPendingBodies } from './limits/load-shedding.ts';
import { addLoopTime, createLoopShares } from './limits/loop-time.ts';
import { addRateLimits, createRateLimits, type RateLimits, refuseUnproven } from './limits/rate-limit.ts';
import { addWorkLine } from './limits/work-line.ts';
import { addNetworkGate } from './network-gate.ts';
import { createErrorHandler, type ErrorTranslator, type ProblemPageSender } from './problem.ts';
import { ajvOptions, schemaController } from './schema-compilers.ts';
import {
  createClientErrorHandler,
  createExpectationHandler,
  createRouterErrorHandler,
} from './unread-requests.ts';

export interface HttpServerDependencies {
  readonly config: Config;
  readonly addresses: PublicAddresses;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent behind a TLS proxy. */
  readonly certificate: Certificate | null;
  readonly translate: ErrorTranslator;
  /** How long the first request in the line for the store has waited. */
  readonly readWaitMs: () => number;
  readonly sendProblemPage: ProblemPageSender;
}

export function createHttpServer(dependencies: HttpServerDependencies): App {
  const { clock, config } = dependencies;
  const counting = {
    hashAddress: createAddressHasher(clock),
    limits: createRateLimits(clock, config.rateLimit),
  };
  const app = createFastifyInstance(dependencies, createRouterErrorHandler({ ...dependencies, ...counting }));
  app.setErrorHandler(refuseUnproven(createErrorHandler(dependencies)));
  app.addHook('onRoute', requireRouteAccess);
  addRequestLog(app, dependencies.log);
  addJsonParser(app);
  addNetworkGate(app, config.deskNetworks, config.tls);
  app.server.on('checkExpectation', boundUnanswered(createExpectationHandler(dependencies.addresses)));
  addRequestHooks(app, { ...dependencies, ...counting });
  return app;
}

/** Only authenticated encryption, no CBC. The last six are for TLS 1.2 (RFC 9325 §4.2). */
const CIPHER_SUITES = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
];

/** In this order: what every response carries, what refuses a flood at the least cost, then what reads the request. */
function addRequestHooks(
  app: App,
  dependencies: HttpServerDependencies & { readonly hashAddress: AddressHasher; readonly limits: RateLimits },
): void {
  const { config, hashAddress, limits, readWaitMs } = dependencies;
  const shares = createLoopShares(() => performance.now());
  if (config.rateLimit) addLoopTime(app, shares);
  addCallerNames(app, hashAddress);
  addRequestsInFlight(app);
  addResponseHeaders(app);
  addCors(app);
  addBodyTimeout(app);
  addLoadShedding(app, shares, readWaitMs);
  addRateLimits(app, limits);
  addPendingBodies(app);
  addRequestChecks(app, dependencies);
  addWorkLine(app, config.rateLimit);
  addNotFoundCheck(app);
}

function createFastifyInstance(
  { config, addresses, certificate }: HttpServerDependencies,
  handleRouterError: ReturnType<typeof createRouterErrorHandler>,
): App {
  const options = {
    serverFactory: (handle: RequestListener) => createNodeServer(boundUnanswered(handle), certificate),
    logger: false,
    trustProxy: config.tls.mode === 'proxy' ? [...config.tls.trustedProxies] : false,
    genReqId: generateId,
    bodyLimit: httpLimits.jsonBytes,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: httpLimits.pathParameterLength },
    clientErrorHandler: createClientErrorHandler(addresses, httpsHeaders),
    frameworkErrors: handleRouterError,
    schemaController,
    ajv: { customOptions: ajvOptions },
  };
  // Fastify's type depends on the transport, which is known only at run time.
  return fastify(options as Parameters<typeof fastify>[0]) as unknown as App;
}

function createNodeServer(handle: RequestListener, certificate: Certificate | null): App['server'] {
  const options = {
    IncomingMessage: BoundedRequest,
    maxHeaderSize: httpLimits.headerBytes,
    headersTimeout: httpLimits.headersMs,
    // Node has one limit for all requests; `addBodyTimeout` has a shorter one for small bodies.
    requestTimeout: httpLimits.uploadMs,
    keepAliveTimeout: httpLimits.keepAliveMs,
    connectionsCheckingInterval: httpLimits.checkMs,
    requireHostHeader: false, // Node would send an empty 400; our own check explains the refusal.
  };
  const secureOptions =
    certificate &&
    ({
      ...options,
      key: certificate.key,
      cert: certificate.cert,
      minVersion: 'TLSv1.2',
      ciphers: CIPHER_SUITES.join(':'),
      handshakeTimeout: httpLimits.handshakeMs,
    } as const);
  const server = secureOptions ? createSecureServer(secureOptions, handle) : createServer(options, handle);
  return server.setTimeout(httpLimits.silenceMs);
}

function requireRouteAccess(route: RouteOptions): void {
  if (!route.config?.access)
    throw new Error(`the route ${route.method} ${route.url} does not state its access`);
}

function addResponseHeaders(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(httpsHeaders).header('x-request-id', request.id);
    done();
  });
}

function addRequestChecks(app: App, { config }: HttpServerDependencies): void {
  const behindProxy = config.tls.mode === 'proxy';
  app.addHook('onRequest', (request, _reply, done) => {
    if (countHostHeaders(request.raw.rawHeaders) !== 1)
      return done(
        new ServiceError('malformed_request', { detail: 'A request has exactly one Host header.' }),
      );
    if (behindProxy && request.protocol !== 'https') return done(new ServiceError('https_required'));
    if (request.url.includes('%00'))
      return done(new ServiceError('malformed_request', { detail: 'No address has the character U+0000.' }));
    if (countParameters(request.url) > httpLimits.queryParameters)
      return done(new ServiceError('uri_too_long', { detail: 'The address has too many parameters.' }));
    if (request.headers['content-encoding'] !== undefined)
      return done(new ServiceError('unsupported_media_type'));
    if (!request.is404 && !isResponseAccepted(request)) return done(new ServiceError('not_acceptable'));
    done();
  });
}

function isResponseAccepted({ raw, routeOptions }: FastifyRequest): boolean {
  const { produces = 'application/json' } = routeOptions.config;
  if (produces === '*/*' || isMediaTypeAccepted(raw, produces)) return true;
  // A client that requests Markdown where there is none gets the page rather than an error.
  return produces === 'text/html' && isMediaTypeAccepted(raw, MARKDOWN_MEDIA_TYPE);
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

function addJsonParser(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      requireUtf8(request.headers['content-type']);
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** 404, or 405 for another method (RFC 9110 §15.5.6), before the body is read, so that no upload is awaited. */
function addNotFoundCheck(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    const url = request.url.split('?', 1)[0] ?? '';
    const methods = app.supportedMethods.filter((method) => app.findRoute({ method, url }));
    if (methods.length === 0) return done(new ServiceError('not_found'));
    done(new ServiceError('method_not_allowed', { headers: { allow: methods.join(', ') } }));
  });
}
