/** Counts requests against the named budgets of `limits.ts`, in one place and one store of counts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { SECOND_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from './app.ts';
import { type BudgetName, httpLimits, type RateBudget, rateBudgets } from './limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Counts beside the budget of all requests; instead of it, if larger. */
    budget?: BudgetName;
  }
  interface FastifyRequest {
    /** For a route that learns from its body what is called. Throws if the budget is used up. */
    spend: (name: BudgetName) => void;
  }
}

const REFUSAL_PAUSE_MS = SECOND_MS;
const FLOOD_FACTOR = 2;
const POLICY_HEADER = 'ratelimit-policy';

export interface RateLimits {
  readonly isOn: boolean;
  /** Counts one more request, and returns null while there is room for it. */
  readonly findExcess: (caller: CountedCaller, name: BudgetName) => Excess | null;
}

type CountedCaller = Pick<FastifyRequest, 'account' | 'addressHash'>;

interface Excess {
  readonly error: Error;
  readonly isFlood: boolean;
}

export function createRateLimits(clock: Clock, isOn: boolean): RateLimits {
  const counter = createRequestCounter(clock, httpLimits.counts);
  return {
    isOn,
    findExcess: ({ account, addressHash }, name) => {
      const budget = rateBudgets[name];
      if (!isOn || (budget.by === 'stranger' && account !== null)) return null;
      const { count, msLeft } = counter.count(`${name} ${addressHash}`, budget.windowMs);
      if (count <= budget.max) return null;
      return {
        error: createRateLimitError(budget, Math.ceil(msLeft / SECOND_MS)),
        isFlood: count > FLOOD_FACTOR * budget.max,
      };
    },
  };
}

/** After the addresses are hashed. Every request counts, whatever it asks for and however it ends. */
export function addRateLimits(app: App, { isOn, findExcess }: RateLimits): void {
  app.decorateRequest('spend', function requireBudget(this: FastifyRequest, name: BudgetName): void {
    const excess = findExcess(this, name);
    if (excess) throw excess.error;
  });
  if (!isOn) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { is404, routeOptions } = request;
    const { budget = 'requests', liveness, produces } = routeOptions.config;
    const excess = findExcess(request, isLarge(budget) ? budget : 'requests');
    // A probe must not find the service dead because of a flood: it is answered, if late.
    if (liveness) return excess?.isFlood ? void setTimeout(done, REFUSAL_PAUSE_MS) : done();
    // The policy alone, never what is left of it: others behind the same address would see that somebody is here.
    // Programs read it; pages and documents do without.
    if (!is404 && produces === undefined) reply.header(POLICY_HEADER, formatRatePolicy(rateBudgets[budget]));
    refuseExcess(reply, excess, done);
  });
  // After every check of who may call the route, and before the body is read.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { budget } = request.routeOptions.config;
    if (budget === undefined || isLarge(budget)) return done(null, payload);
    refuseExcess(reply, findExcess(request, budget), (error) => done(error ?? null, payload));
  });
}

export function refuseExcess(
  reply: FastifyReply,
  excess: Excess | null,
  done: (error?: Error) => void,
): void {
  if (excess?.isFlood) refuseLate(reply, excess.error, done);
  else done(excess?.error);
}

/** A caller who goes on all the same waits, and has to connect again: refusals alone could keep the loop busy. */
export function refuseLate(reply: FastifyReply, error: Error, done: (error: Error) => void): void {
  reply.header('connection', 'close');
  setTimeout(done, REFUSAL_PAUSE_MS, error);
}

/** Such as that for pieces of files, which must not use up the one of all requests. */
function isLarge(name: BudgetName): boolean {
  return rateBudgets[name].max > rateBudgets.requests.max;
}

function createRateLimitError(budget: RateBudget, seconds: number): ServiceError {
  return new ServiceError('rate_limited', {
    headers: {
      'retry-after': String(seconds),
      ratelimit: `"default";r=0;t=${seconds}`,
      [POLICY_HEADER]: formatRatePolicy(budget),
    },
  });
}

/** As draft-ietf-httpapi-ratelimit-headers-10 has it. */
function formatRatePolicy({ max, windowMs }: RateBudget): string {
  return `"default";q=${max};w=${windowMs / SECOND_MS}`;
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
    count: (key: string, windowMs: number): { readonly count: number; readonly msLeft: number } => {
      const now = clock.now();
      const window = windows.get(key);
      // A clock that was set back must not keep anybody out for longer.
      if (window && window.endsAt > now && window.endsAt <= now + windowMs) {
        window.count += 1;
        return { count: window.count, msLeft: window.endsAt - now };
      }
      windows.delete(key);
      if (windows.size >= maxKeys) windows.delete(windows.keys().next().value ?? '');
      windows.set(key, { count: 1, endsAt: now + windowMs });
      return { count: 1, msLeft: windowMs };
    },
  };
}
