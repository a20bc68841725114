/** The headers of every answer. By hand, since a plugin for them costs more than the rest of a small request. */

const base = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** For answers over HTTPS. Pages replace the policy and the cache rule with their own. */
export const httpsHeaders = {
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  ...base,
} as const;

/** RFC 6797 §7.2: an answer over plain HTTP carries no HSTS header. */
export const plainHttpHeaders = base;
