/** Lets pages of any site read what is public anyway: the routes that say so, their refusals, and the question before. */
import type { RouteOptions } from 'fastify';
import { DAY_SECONDS } from '#platform/durations.ts';
import type { App } from './app.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Any page may read the answer. Never with cookies: nothing here allows credentials. */
    anyOrigin?: true;
  }
}

const readable = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Idempotency-Key, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id',
} as const;

/** Before every other check, so that a page can read why it was refused. */
export function addCors(app: App): void {
  const answered = new Set<string>();
  app.addHook('onRoute', ({ config, method, url }: RouteOptions) => {
    if (!config?.anyOrigin || method === 'OPTIONS' || answered.has(url)) return;
    answered.add(url);
    addPreflight(app, url, [method].flat());
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.anyOrigin) reply.headers(readable);
    done();
  });
}

/** The WHATWG Fetch Standard's CORS-preflight request. */
function addPreflight(app: App, url: string, methods: readonly string[]): void {
  const named = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  app.options(url, { config: { access: 'public', anyOrigin: true, produces: '*/*' } }, (_request, reply) => {
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': [...new Set(named)].join(', '),
        'access-control-allow-headers': 'Authorization, Content-Type, DPoP, Idempotency-Key',
        'access-control-max-age': String(DAY_SECONDS),
      })
      .send();
  });
}
