/** Measures who holds the event loop, so that one caller's work can be bounded whatever it is that takes so long. */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';
import { SECOND_MS } from '#platform/durations.ts';
import type { App } from './app.ts';
import { workLimits } from './limits.ts';

export interface LoopShares {
  readonly add: (caller: string, ms: number) => void;
  /** The part of the last seconds in which the loop worked for the caller. */
  readonly read: (caller: string) => number;
  /** Until a caller who has used more than the largest share is below it again; 0 for all others. */
  readonly readWaitSeconds: (caller: string) => number;
  /** Whether most of the work was for callers whose share is large. */
  readonly isMostlyHeavy: () => boolean;
}

/** Sums by the second: what is older than the window goes with its second. */
export function createLoopShares(readNow: () => number): LoopShares {
  const { windowSeconds, maxShare, heavyShare } = workLimits;
  const windowMs = windowSeconds * SECOND_MS;
  const seconds: { readonly at: number; readonly sums: Map<string, number> }[] = [];

  function dropOld(): number {
    const now = Math.floor(readNow() / SECOND_MS);
    while (seconds[0] && seconds[0].at <= now - windowSeconds) seconds.shift();
    return now;
  }

  function sumUp(caller: string): number {
    dropOld();
    return seconds.reduce((sum, { sums }) => sum + (sums.get(caller) ?? 0), 0);
  }

  return {
    add: (caller, ms) => {
      const at = dropOld();
      if (seconds.at(-1)?.at !== at) seconds.push({ at, sums: new Map() });
      const { sums } = seconds.at(-1)!;
      sums.set(caller, (sums.get(caller) ?? 0) + ms);
    },
    read: (caller) => sumUp(caller) / windowMs,
    readWaitSeconds: (caller) => {
      let sum = sumUp(caller);
      if (sum <= maxShare * windowMs) return 0;
      const now = dropOld();
      const last = seconds.find(({ sums }) => {
        sum -= sums.get(caller) ?? 0;
        return sum <= maxShare * windowMs;
      });
      return (last?.at ?? now) + windowSeconds - now;
    },
    isMostlyHeavy: () => {
      dropOld();
      const totals = new Map<string, number>();
      for (const { sums } of seconds)
        for (const [caller, ms] of sums) totals.set(caller, (totals.get(caller) ?? 0) + ms);
      const all = [...totals.values()].reduce((sum, ms) => sum + ms, 0);
      const heavy = [...totals.values()].filter((ms) => ms >= heavyShare * windowMs);
      return heavy.reduce((sum, ms) => sum + ms, 0) > all / 2;
    },
  };
}

/** Whom work counts for: the person or client once a token is good, else the address. */
export function readCaller({ account, addressHash }: FastifyRequest): string {
  return account ?? addressHash;
}

/**
 * First of all hooks. The time since the last mark goes to the request that reaches a hook, since it has just been
 * parsed, validated, handled or serialized; and when the loop turns to something else, to the request that it worked
 * for until then. The time in which the loop waits is not counted.
 */
export function addLoopTime(app: App, shares: LoopShares): void {
  const storage = new AsyncLocalStorage<FastifyRequest>();
  let current: FastifyRequest | undefined;
  let since = readActiveMs();

  function charge(request: FastifyRequest | undefined): void {
    const now = readActiveMs();
    const caller = request ? readCaller(request) : '';
    if (caller !== '' && now > since) shares.add(caller, now - since);
    since = now;
  }
  function claim(request: FastifyRequest): void {
    charge(request);
    current = request;
  }

  // Of timers, sockets, threads and files alone: a hook for each promise would cost more than all the rest.
  const turns = createHook({
    trackPromises: false,
    before: () => {
      charge(current);
      current = storage.getStore();
    },
  }).enable();
  app.addHook('onClose', async () => void turns.disable());
  app.addHook('onRequest', (request, _reply, done) => {
    // What led here was before it had a name, which it has at the next mark.
    current = request;
    storage.run(request, done);
  });
  // A body arrives in the context of its connection, and is parsed when it has ended.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    claim(request);
    payload.once('end', () => {
      charge(current);
      current = request;
    });
    done(null, payload);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    claim(request);
    storage.run(request, done);
  });
  for (const name of ['preHandler', 'onResponse'] as const)
    app.addHook(name, (request: FastifyRequest, _reply: unknown, done: () => void) => {
      claim(request);
      done();
    });
  for (const name of ['preSerialization', 'onSend'] as const)
    app.addHook(name as 'onSend', (request, _reply, payload, done) => {
      claim(request);
      done(null, payload);
    });
}

function readActiveMs(): number {
  return performance.now() - performance.nodeTiming.idleTime;
}
