/** Counts the requests of each IP address, whatever they ask for and however they end, before anything else is done. */
import type { FastifyRequest } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { createAddressHasher } from './address-hash.ts';
import type { App } from './app.ts';
import { httpLimits, RATE_WINDOW_SECONDS } from './limits.ts';
import { createRateLimitError, formatRatePolicy, POLICY_HEADER } from './rate-limit-error.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The hash of the caller's address; empty if rates are not limited, or not for this route. */
    addressHash: string;
  }
}

const WINDOW_MS = RATE_WINDOW_SECONDS * 1_000;

export function addAddressLimit(app: App, clock: Clock): void {
  const hashAddress = createAddressHasher(clock);
  const counter = createRequestCounter(clock, httpLimits.countedAddresses);
  app.decorateRequest('addressHash', '');
  app.addHook('onRequest', (request, reply, done) => {
    // A refusal would cost as much as the answer, and a probe must not find the service dead because of a flood.
    if (request.routeOptions.config.liveness) return done();
    // The policy alone, never what is left of it: others behind the same address would see that somebody is here.
    const declared = readDeclaredMaximum(request);
    if (isOperation(request)) reply.header(POLICY_HEADER, formatRatePolicy(declared));
    request.addressHash = hashAddress(request.ip, request.raw.socket);
    // Routes that need more than the common number, such as those for pieces of files, are counted separately.
    const max = Math.max(httpLimits.requestsPerMinute, declared);
    const isOwnCount = max > httpLimits.requestsPerMinute;
    const key = isOwnCount ? `${request.addressHash} ${request.routeOptions.url}` : request.addressHash;
    const { count, msLeft } = counter.count(key);
    done(count > max ? createRateLimitError(max, Math.ceil(msLeft / 1_000)) : undefined);
  });
}

/** Programs read it; pages and documents do without. */
function isOperation({ is404, routeOptions: { config } }: FastifyRequest): boolean {
  return !is404 && config.produces === undefined;
}

/** The common number for a route that declares none. */
function readDeclaredMaximum({ routeOptions: { config } }: FastifyRequest): number {
  const { max } = { max: undefined, ...config.rateLimit };
  return typeof max === 'number' ? max : httpLimits.requestsPerMinute;
}

interface CountedWindow {
  count: number;
  readonly endsAt: number;
}

/** Exported for its test. Forgets the oldest keys where there are more than `maxKeys`. */
export function createRequestCounter(clock: Clock, maxKeys: number) {
  // In the order in which the windows began.
  const windows = new Map<string, CountedWindow>();
  return {
    count: (key: string): { readonly count: number; readonly msLeft: number } => {
      const now = clock.now();
      const window = windows.get(key);
      // A clock that was set back must not keep anybody out for longer.
      if (window && window.endsAt > now && window.endsAt <= now + WINDOW_MS) {
        window.count += 1;
        return { count: window.count, msLeft: window.endsAt - now };
      }
      windows.delete(key);
      if (windows.size >= maxKeys) windows.delete(windows.keys().next().value ?? '');
      windows.set(key, { count: 1, endsAt: now + WINDOW_MS });
      return { count: 1, msLeft: WINDOW_MS };
    },
  };
}
