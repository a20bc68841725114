/** The headers of every response, and CORS: set without a plugin, which would cost more than a small request. */
import type { RouteOptions } from 'fastify';
import { DAY_SECONDS } from '#platform/durations.ts';
import type { App } from './app-type.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Any page may read the response, but never with cookies: credentials are not allowed. */
    anyOrigin?: true;
  }
}

/** No page needs these. Only names that every browser knows: Chromium on Linux reports `bluetooth` as an error. */
const UNUSED_FEATURES = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'clipboard-read',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

const base = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': UNUSED_FEATURES.map((name) => `${name}=()`).join(', '),
  'cache-control': 'no-store',
} as const;

/** For responses over HTTPS. Pages and documents override the policy or the cache rule. */
export const httpsHeaders = {
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  ...base,
} as const;

/** RFC 6797 §7.2: a response over plain HTTP has no HSTS header. */
export const plainHttpHeaders = base;

/** For a separate Fastify scope: a program may open these pages in a new window and see when it is closed. */
export function addPopupHeader(app: App): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cross-origin-opener-policy', 'unsafe-none');
    done();
  });
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Idempotency-Key, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id',
} as const;

/** For routes that pages of any site may read. Must come before all other checks: a page can then read a refusal. */
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
