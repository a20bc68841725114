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
  readonly readWaitMs: (caller: string) => number;
  /** Whether most of the work was for callers whose share is large. */
  readonly isMostlyHeavy: () => boolean;
}

interface Level {
  readonly ms: number;
  readonly at: number;
}

/** What a caller has used drains away at the rate of the largest share, so that a burst is followed by a steady pace. */
export function createLoopShares(readNow: () => number): LoopShares {
  const { maxShare, heavyShare } = workLimits;
  const windowMs = workLimits.windowSeconds * SECOND_MS;
  // In the order of their last work.
  const levels = new Map<string, Level>();
  let sums = { all: 0, heavy: 0, at: readNow() };

  function drain({ ms, at }: Level, now: number): number {
    return Math.max(0, ms - (now - at) * maxShare);
  }

  function readMs(caller: string): number {
    const level = levels.get(caller);
    return level ? drain(level, readNow()) : 0;
  }

  function forgetDrained(now: number): void {
    for (const [caller, level] of levels) {
      if (drain(level, now) > 0) return;
      levels.delete(caller);
    }
  }

  return {
    add: (caller, ms) => {
      const now = readNow();
      const level = readMs(caller) + ms;
      levels.delete(caller);
      levels.set(caller, { ms: level, at: now });
      forgetDrained(now);
      const kept = Math.exp((sums.at - now) / windowMs);
      const heavy = level >= heavyShare * windowMs ? ms : 0;
      sums = { all: sums.all * kept + ms, heavy: sums.heavy * kept + heavy, at: now };
    },
    read: (caller) => readMs(caller) / windowMs,
    readWaitMs: (caller) => Math.max(0, readMs(caller) - maxShare * windowMs) / maxShare,
    isMostlyHeavy: () => sums.heavy > sums.all / 2,
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
  const readWorkedMs = createStopwatch();

  function recordWork(request: FastifyRequest | undefined): void {
    const ms = readWorkedMs();
    const caller = request ? readCaller(request) : '';
    if (caller !== '' && ms > 0) shares.add(caller, ms);
  }
  function claimWork(request: FastifyRequest): void {
    recordWork(request);
    current = request;
  }

  // Of timers, sockets, threads and files alone: a hook for each promise would cost more than all the rest.
  const turns = createHook({
    trackPromises: false,
    // Who begins to wait for one of these has worked until now, also if what it waited for before was no one's.
    init: () => {
      const request = storage.getStore();
      if (request) claimWork(request);
    },
    before: () => {
      recordWork(current);
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
    claimWork(request);
    payload.once('end', () => {
      recordWork(current);
      current = request;
    });
    done(null, payload);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    claimWork(request);
    storage.run(request, done);
  });
  for (const name of ['preHandler', 'onResponse'] as const)
    app.addHook(name, (request: FastifyRequest, _reply: unknown, done: () => void) => {
      claimWork(request);
      done();
    });
  for (const name of ['preSerialization', 'onSend'] as const)
    app.addHook(name as 'onSend', (request, _reply, payload, done) => {
      claimWork(request);
      done(null, payload);
    });
}

/** Asking for the processor time costs more than most of what is measured. */
const LONG_MS = 5;

/** Returns how long the loop has worked since it was last asked: not the time in which another program had the processor. */
function createStopwatch(): () => number {
  let activeMs = readActiveMs();
  let processorMs = readProcessorMs();
  return () => {
    const passed = readActiveMs() - activeMs;
    activeMs += passed;
    if (passed < LONG_MS) return passed;
    const worked = readProcessorMs() - processorMs;
    processorMs += worked;
    return Math.min(passed, worked);
  };
}

function readActiveMs(): number {
  return performance.now() - performance.nodeTiming.idleTime;
}

function readProcessorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
