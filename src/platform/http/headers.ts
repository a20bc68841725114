/** The headers of every response. Set without a plugin, which would cost more than the rest of a small request. */

const base = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** For responses over HTTPS. Pages and documents override the policy or the cache rule. */
export const httpsHeaders = {
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  ...base,
} as const;

/** RFC 6797 §7.2: a response over plain HTTP has no HSTS header. */
export const plainHttpHeaders = base;
