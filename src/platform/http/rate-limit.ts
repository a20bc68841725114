/** Limits the requests of an address to routes that declare a number of their own, such as those that try words. */
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { httpLimits, RATE_WINDOW_SECONDS } from './limits.ts';
import { createRateLimitError } from './rate-limit-error.ts';

/** Counts after `addAddressLimit`, and only requests that may call the route. */
export async function addRouteRateLimits(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    timeWindow: RATE_WINDOW_SECONDS * 1_000,
    cache: httpLimits.countedAddresses,
    keyGenerator: ({ addressHash }) => addressHash,
    errorResponseBuilder: (_request, { max, ttl }) => createRateLimitError(max, Math.ceil(ttl / 1_000)),
    // Only refusals carry rate limit headers; a caller within the limit does not need them.
    addHeadersOnExceeding: {
      'x-ratelimit-limit': false,
      'x-ratelimit-remaining': false,
      'x-ratelimit-reset': false,
    },
    addHeaders: {
      'x-ratelimit-limit': false,
      'x-ratelimit-remaining': false,
      'x-ratelimit-reset': false,
      'retry-after': false,
    },
  });
}
