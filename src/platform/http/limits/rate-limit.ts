/** Counts requests against the named budgets of `limits.ts`, in one place and one store of counts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { SECOND_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '../app.ts';
import { ADDRESS_FACTOR, type BudgetName, httpLimits, type RateBudget, rateBudgets } from './limits.ts';

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
  /** The same for a request that was counted for its address, before its token was found to be good. */
  readonly moveToAccount: (caller: CountedCaller, name: BudgetName) => Excess | null;
}

type CountedCaller = Pick<FastifyRequest, 'account' | 'addressHash'>;

interface Excess {
  readonly error: Error;
  readonly isFlood: boolean;
}

export function createRateLimits(clock: Clock, isOn: boolean): RateLimits {
  const counter = createRequestCounter(clock, httpLimits.counts);

  function countOne(key: string, budget: RateBudget, max: number): Excess | null {
    const { count, msLeft } = counter.count(key, budget.windowMs);
    if (count <= max) return null;
    return {
      error: createRateLimitError(budget, Math.ceil(msLeft / SECOND_MS)),
      isFlood: count > FLOOD_FACTOR * max,
    };
  }

  function findExcess({ account, addressHash }: CountedCaller, name: BudgetName): Excess | null {
    const budget: RateBudget = rateBudgets[name];
    if (!isOn || (budget.by === 'stranger' && account !== null)) return null;
    if (account === null) return countOne(toAddressKey(name, addressHash), budget, budget.max);
    // What is refused to an account uses up nothing of the others at its address.
    return (
      countOne(`${name} of ${account}`, budget, budget.max) ??
      countOne(`${name} of all at ${addressHash}`, budget, ADDRESS_FACTOR * budget.max)
    );
  }

  return {
    isOn,
    findExcess,
    moveToAccount: (caller, name) => {
      counter.giveBack(toAddressKey(name, caller.addressHash));
      return findExcess(caller, name);
    },
  };
}

function toAddressKey(name: BudgetName, addressHash: string): string {
  return `${name} at ${addressHash}`;
}

/** After the addresses are hashed. Every request counts, whatever it asks for and however it ends. */
export function addRateLimits(app: App, { isOn, findExcess, moveToAccount }: RateLimits): void {
  app.decorateRequest('spend', function requireBudget(this: FastifyRequest, name: BudgetName): void {
    const excess = findExcess(this, name);
    if (excess) throw excess.error;
  });
  if (!isOn) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { is404, routeOptions } = request;
    const { budget = 'requests', liveness, produces } = routeOptions.config;
    const excess = findExcess(request, chooseFirst(budget));
    // A probe must not find the service dead because of a flood: it is answered, if late.
    if (liveness) return excess?.isFlood ? void setTimeout(done, REFUSAL_PAUSE_MS) : done();
    // The policy alone, never what is left of it: others behind the same address would see that the site is in use.
    // Programs read it; pages and documents do without.
    if (!is404 && produces === undefined) reply.header(POLICY_HEADER, formatRatePolicy(rateBudgets[budget]));
    refuseExcess(reply, excess, done);
  });
  // After every check of who may call the route, and before the body is read. A wrong token never comes here.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { budget = 'requests' } = request.routeOptions.config;
    const first = chooseFirst(budget);
    const excess =
      (request.account === null ? null : moveToAccount(request, first)) ??
      (budget === first ? null : findExcess(request, budget));
    refuseExcess(reply, excess, (error) => done(error ?? null, payload));
  });
}

/** A large budget, such as that for pieces of files, must not use up the one of all requests. */
function chooseFirst(name: BudgetName): BudgetName {
  return rateBudgets[name].max > rateBudgets.requests.max ? name : 'requests';
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
      // A clock that was set back must not keep a caller out for longer.
      if (window && window.endsAt > now && window.endsAt <= now + windowMs) {
        window.count += 1;
        return { count: window.count, msLeft: window.endsAt - now };
      }
      windows.delete(key);
      if (windows.size >= maxKeys) windows.delete(windows.keys().next().value ?? '');
      windows.set(key, { count: 1, endsAt: now + windowMs });
      return { count: 1, msLeft: windowMs };
    },
    giveBack: (key: string): void => {
      const window = windows.get(key);
      if (window && window.count > 0) window.count -= 1;
    },
  };
}
