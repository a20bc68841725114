/** Limits the requests of an address to routes that declare a number of their own, such as those that try words. */
import rateLimit, {
  type FastifyRateLimitStore,
  type FastifyRateLimitStoreCtor,
  type RateLimitOptions,
} from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { createRequestCounter } from './address-limit.ts';
import { httpLimits, RATE_WINDOW_SECONDS } from './limits.ts';
import { createRateLimitError } from './rate-limit-error.ts';

/** For every route that opens a case with its words: they count together, so that no second door gives more tries. */
export const wordTryLimit: SharedLimit = { max: httpLimits.wordTriesPerMinute, groupId: 'words' };

/** Counts after `addAddressLimit`, and only requests that may call the route. */
export async function addRouteRateLimits(app: FastifyInstance, clock: Clock): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    store: createStoreClass(clock),
    timeWindow: RATE_WINDOW_SECONDS * 1_000,
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

export interface SharedLimit {
  readonly max: number;
  readonly groupId: string;
}

/** For a route that learns from its body what is called: counts a call with those of the routes of the same group. */
export function createCallLimit(
  app: FastifyInstance,
  { max, groupId }: SharedLimit,
): (request: FastifyRequest) => Promise<void> {
  // Not there if the service runs without limits.
  if (!app.hasDecorator('createRateLimit')) return async () => undefined;
  const options = {
    max,
    groupId,
    // The plugin names the group in the key of a route that declares it.
    keyGenerator: ({ addressHash }: FastifyRequest) => addressHash + groupId,
  };
  const countCall = app.createRateLimit(options);
  return async (request) => {
    const counted = await countCall(request);
    if (!counted.isAllowed && counted.isExceeded) throw createRateLimitError(max, counted.ttlInSeconds);
  };
}

/** The plugin's own store counts every route for itself, whatever group it names. */
function createStoreClass(clock: Clock): FastifyRateLimitStoreCtor {
  const groups = new Map<string, RouteCounts>();
  class RouteCounts implements FastifyRateLimitStore {
    readonly #counter = createRequestCounter(clock, httpLimits.countedAddresses);

    incr(key: string, callback: Parameters<FastifyRateLimitStore['incr']>[1]): void {
      const { count, msLeft } = this.#counter.count(key);
      callback(null, { current: count, ttl: msLeft });
    }

    child({ groupId }: Parameters<FastifyRateLimitStore['child']>[0] & RateLimitOptions): RouteCounts {
      const counts = (groupId === undefined ? undefined : groups.get(groupId)) ?? new RouteCounts();
      if (groupId !== undefined) groups.set(groupId, counts);
      return counts;
    }
  }
  return RouteCounts;
}
