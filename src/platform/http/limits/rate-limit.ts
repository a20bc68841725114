/** Counts requests against the named budgets of `limits.ts`, in one place and one store of counts. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { SECOND_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '../app-type.ts';
import { ADDRESS_FACTOR, type BudgetName, httpLimits, type RateBudget, rateBudgets } from './limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Counts in addition to the budget of all requests, or instead of it if larger. */
    budget?: BudgetName;
  }
  interface FastifyRequest {
    /** For a route that learns only from the body which operation is called. Throws if the budget is used up. */
    spend: (name: BudgetName) => void;
    /** Why the request is refused unless its token proves valid; null if it is not over the limit, or has no token. */
    excess: Excess | null;
  }
}

const REFUSAL_PAUSE_MS = SECOND_MS;
const FLOOD_FACTOR = 2;
const LEFT_HEADER = 'ratelimit';
const POLICY_HEADER = 'ratelimit-policy';

export interface RateLimits {
  readonly isOn: boolean;
  /** Counts one more request, and returns null while there is room for it. */
  readonly findExcess: (caller: CountedCaller, name: BudgetName) => Excess | null;
  /** The same for a request that was counted for its address before its token proved valid. */
  readonly moveToAccount: (caller: CountedCaller, name: BudgetName) => Excess | null;
  /** The header that reports to an account how much of its own budget is left. */
  readonly formatLeft: (account: string, name: BudgetName) => string;
}

type CountedCaller = Pick<FastifyRequest, 'account' | 'addressHash'>;

interface Excess {
  readonly error: Error;
  readonly isFlood: boolean;
  /** True for a flood so large that not even tokens are looked up. */
  readonly isTorrent: boolean;
}

export function createRateLimits(clock: Clock, isOn: boolean): RateLimits {
  const counter = createRequestCounter(clock, httpLimits.counts);

  function countOne(key: string, budget: RateBudget, max: number): Excess | null {
    const { count, msLeft } = counter.count(key, budget.windowMs);
    if (count <= max) return null;
    return {
      error: createRateLimitError(budget, Math.ceil(msLeft / SECOND_MS)),
      isFlood: count > FLOOD_FACTOR * max,
      isTorrent: count > ADDRESS_FACTOR * max,
    };
  }

  function findExcess({ account, addressHash }: CountedCaller, name: BudgetName): Excess | null {
    const budget: RateBudget = rateBudgets[name];
    if (!isOn || (budget.by === 'stranger' && account !== null)) return null;
    if (account === null) return countOne(toAddressKey(name, addressHash), budget, budget.max);
    const [client] = account.split(' ', 1);
    // A request refused to one account does not count for others of its client; no client uses up another's budget.
    return (
      countOne(toAccountKey(name, account), budget, budget.max) ??
      countOne(`${name} of all of ${client} at ${addressHash}`, budget, ADDRESS_FACTOR * budget.max)
    );
  }

  return {
    isOn,
    findExcess,
    moveToAccount: (caller, name) => {
      counter.giveBack(toAddressKey(name, caller.addressHash));
      return findExcess(caller, name);
    },
    formatLeft: (account, name) => {
      const { max, windowMs } = rateBudgets[name];
      const { count, msLeft } = counter.read(toAccountKey(name, account)) ?? { count: 0, msLeft: windowMs };
      return formatRateLimit(Math.max(0, max - count), msLeft);
    },
  };
}

function toAccountKey(name: BudgetName, account: string): string {
  return `${name} of ${account}`;
}

function toAddressKey(name: BudgetName, addressHash: string): string {
  return `${name} at ${addressHash}`;
}

/** Must come after the addresses are hashed. Every request counts, whatever its target and its outcome. */
export function addRateLimits(app: App, { isOn, findExcess, moveToAccount, formatLeft }: RateLimits): void {
  app.decorateRequest('excess', null);
  app.decorateRequest('spend', function requireBudget(this: FastifyRequest, name: BudgetName): void {
    const excess = findExcess(this, name);
    if (excess) throw excess.error;
  });
  if (!isOn) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { is404, routeOptions } = request;
    const { budget = 'requests', liveness, produces } = routeOptions.config;
    const excess = findExcess(request, chooseFirst(budget));
    // A flood must not make the service look dead to a probe: the probe is answered, even if late.
    if (liveness) return excess?.isFlood ? void setTimeout(done, REFUSAL_PAUSE_MS) : done();
    // Only programs read this header; pages and documents are sent without it.
    if (!is404 && produces === undefined) reply.header(POLICY_HEADER, formatRatePolicy(rateBudgets[budget]));
    // Hosted programs share addresses: wrong tokens of other programs there must not lock out a valid one.
    if (excess && !excess.isTorrent && presentsToken(request)) request.excess = excess;
    refuseExcess(reply, request.excess === null ? excess : null, done);
  });
  // Runs after every check of who may call the route, and before the body is read. Invalid tokens never get here.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { account } = request;
    const { budget = 'requests', produces } = request.routeOptions.config;
    const first = chooseFirst(budget);
    const excess =
      (account === null ? request.excess : moveToAccount(request, first)) ??
      (budget === first ? null : findExcess(request, budget));
    // Never sent for an address: others behind it would see that the site is in use.
    if (account !== null && produces === undefined) reply.header(LEFT_HEADER, formatLeft(account, budget));
    refuseExcess(reply, excess, (error) => done(error ?? null, payload));
  });
}

function presentsToken({ headers, is404, routeOptions }: FastifyRequest): boolean {
  return !is404 && headers.authorization !== undefined && routeOptions.config.access !== 'public';
}

type ErrorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown;

/** An address over its limit gets only that error, whatever else is wrong with the token that it presents. */
export function refuseUnproven(handle: ErrorHandler): ErrorHandler {
  return (error, request, reply) => {
    const { account, excess } = request;
    if (account !== null || excess === null) return handle(error, request, reply);
    refuseExcess(reply, excess, (refusal) => void handle(refusal, request, reply));
    return undefined;
  };
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

/** A caller who keeps sending has to wait and connect again: refusals alone could keep the loop busy. */
export function refuseLate(reply: FastifyReply, error: Error, done: (error: Error) => void): void {
  reply.header('connection', 'close');
  setTimeout(done, REFUSAL_PAUSE_MS, error);
}

function createRateLimitError(budget: RateBudget, seconds: number): ServiceError {
  return new ServiceError('rate_limited', {
    headers: {
      'retry-after': String(seconds),
      [LEFT_HEADER]: formatRateLimit(0, seconds * SECOND_MS),
      [POLICY_HEADER]: formatRatePolicy(budget),
    },
  });
}

/** Both formats are those of draft-ietf-httpapi-ratelimit-headers-10. */
function formatRateLimit(left: number, msLeft: number): string {
  return `"default";r=${left};t=${Math.ceil(msLeft / SECOND_MS)}`;
}

function formatRatePolicy({ max, windowMs }: RateBudget): string {
  return `"default";q=${max};w=${windowMs / SECOND_MS}`;
}

interface CountedWindow {
  count: number;
  readonly endsAt: number;
}

/** Exported for its test. Forgets the oldest keys if there are more than `maxKeys`. */
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
    read: (key: string): { readonly count: number; readonly msLeft: number } | undefined => {
      const window = windows.get(key);
      return window && { count: window.count, msLeft: window.endsAt - clock.now() };
    },
    giveBack: (key: string): void => {
      const window = windows.get(key);
      if (window && window.count > 0) window.count -= 1;
    },
  };
}
