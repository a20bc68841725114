/** Counts requests by IP address without storing addresses: the key is an HMAC with a secret that changes daily. */
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { DAY_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { httpLimits } from './limits.ts';

const WINDOW_SECONDS = 60;

/** The hash of an address is stable for one day and cannot be reversed once the secret is discarded. */
export function createAddressHasher(clock: Clock): (address: string) => string {
  let day = -1;
  let secret = createSecretKey(randomBytes(32));
  return (address) => {
    const today = Math.floor(clock.now() / DAY_MS);
    if (today !== day) {
      day = today;
      secret = createSecretKey(randomBytes(32));
    }
    return createHmac('sha256', secret).update(normalizeIP(address)).digest('base64url');
  };
}

export async function addRateLimit(app: FastifyInstance, clock: Clock): Promise<void> {
  const hashAddress = createAddressHasher(clock);
  await app.register(rateLimit, {
    max: httpLimits.requestsPerMinute,
    timeWindow: WINDOW_SECONDS * 1_000,
    cache: httpLimits.countedAddresses,
    keyGenerator: (request) => hashAddress(request.ip),
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

export function createRateLimitError(max: number, seconds: number): ServiceError {
  return new ServiceError('rate_limited', {
    headers: {
      'retry-after': String(seconds),
      ratelimit: `"default";r=0;t=${seconds}`,
      'ratelimit-policy': `"default";q=${max};w=${WINDOW_SECONDS}`,
    },
  });
}
