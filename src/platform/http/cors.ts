/** CORS for public routes: pages of any site may read their responses and errors, and send preflight requests. */
import type { RouteOptions } from 'fastify';
import { DAY_SECONDS } from '#platform/durations.ts';
import type { App } from './app.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Any page may read the response, but never with cookies: credentials are not allowed. */
    anyOrigin?: true;
  }
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Idempotency-Key, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id',
} as const;

/** Must come before all other checks, so that a page can read why it was refused. */
export function addCors(app: App): void {
  const preflightUrls = new Set<string>();
  app.addHook('onRoute', ({ config, method, url }: RouteOptions) => {
    if (!config?.anyOrigin || method === 'OPTIONS' || preflightUrls.has(url)) return;
    preflightUrls.add(url);
    addPreflight(app, url, [method].flat());
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.anyOrigin) reply.headers(corsHeaders);
    done();
  });
}

/** Answers a CORS-preflight request (WHATWG Fetch). */
function addPreflight(app: App, url: string, methods: readonly string[]): void {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  app.options(url, { config: { access: 'public', anyOrigin: true, produces: '*/*' } }, (_request, reply) => {
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': [...new Set(allowed)].join(', '),
        'access-control-allow-headers': 'Authorization, Content-Type, DPoP, Idempotency-Key',
        'access-control-max-age': String(DAY_SECONDS),
      })
      .send();
  });
}
