/** The headers of every response. Set without a plugin, which would cost more than the rest of a small request. */
import type { App } from './app.ts';

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
