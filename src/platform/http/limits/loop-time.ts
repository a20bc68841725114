/** Measures how long each caller holds the event loop, so that its work can be bounded whatever it consists of. */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';
import { SECOND_MS } from '#platform/durations.ts';
import { readProcessorMs } from '#platform/turns.ts';
import type { App } from '../app-type.ts';
import { workLimits } from './limits.ts';

export interface LoopShares {
  readonly add: (caller: string, ms: number) => void;
  /** The part of the last seconds in which the loop worked for the caller. */
  readonly read: (caller: string) => number;
  /** The time until a caller who has used more than the largest share is below it again; 0 for all others. */
  readonly readWaitMs: (caller: string) => number;
  /** Whether most of the recent work was for a few other callers. */
  readonly isForOthers: (caller: string) => boolean;
}

interface CallerWork {
  /** Drains away at the rate of the largest share, so that a burst is followed by a steady pace. */
  readonly level: number;
  /** Recent work; it fades over time, as do the sums for all callers. */
  readonly late: number;
  readonly at: number;
}

export function createLoopShares(readNow: () => number): LoopShares {
  const { maxShare, largePart } = workLimits;
  const windowMs = workLimits.windowSeconds * SECOND_MS;
  // Ordered by the time of their last work.
  const callers = new Map<string, CallerWork>();
  let sums = { all: 0, large: 0, at: readNow() };

  const computeFading = (at: number, now: number) => Math.exp((at - now) / windowMs);

  function readWork(caller: string): CallerWork {
    const now = readNow();
    const { level, late, at } = callers.get(caller) ?? { level: 0, late: 0, at: now };
    return {
      level: Math.max(0, level - (now - at) * maxShare),
      late: late * computeFading(at, now),
      at: now,
    };
  }

  function forgetIdle(now: number): void {
    for (const [caller, { level, at }] of callers) {
      if (now - at < Math.max(2 * windowMs, level / maxShare)) return;
      callers.delete(caller);
    }
  }

  /** The sums fade at the same rate as the work of each caller, so both can be compared as of the same time. */
  function isLarge({ late, at }: CallerWork): boolean {
    return late > largePart * sums.all * computeFading(sums.at, at);
  }

  return {
    add: (caller, ms) => {
      const { level, late, at } = readWork(caller);
      const work = { level: level + ms, late: late + ms, at };
      callers.delete(caller);
      callers.set(caller, work);
      forgetIdle(at);
      const fading = computeFading(sums.at, at);
      sums = { all: sums.all * fading + ms, large: sums.large * fading, at };
      if (isLarge(work)) sums.large += ms;
    },
    read: (caller) => readWork(caller).level / windowMs,
    readWaitMs: (caller) => Math.max(0, readWork(caller).level - maxShare * windowMs) / maxShare,
    isForOthers: (caller) => sums.large > sums.all / 2 && !isLarge(readWork(caller)),
  };
}

/** Who is charged for work: the account once its token has proved valid, and the address before that. */
export function readCaller({ account, addressHash }: FastifyRequest): string {
  return account ?? addressHash;
}

/** The request being worked on, across all its promises. */
const storage = new AsyncLocalStorage<{ readonly request: FastifyRequest; readonly shares: LoopShares }>();

/** Null for the service's own work, and if nothing is limited. */
export function findCurrentCaller() {
  const current = storage.getStore();
  if (!current) return null;
  const name = readCaller(current.request);
  // For work that is done outside the event loop.
  return { name, charge: (ms: number) => current.shares.add(name, ms) };
}

/**
 * Must be the first of all hooks. The time since the last mark is charged to the request that reaches a hook, because
 * it has just been parsed, validated, handled or serialized; when the loop turns to something else, it is charged to
 * the request that it worked for until then. Idle time is not counted.
 */
export function addLoopTime(app: App, shares: LoopShares): void {
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

  // Only for timers, sockets, threads and files: a hook for each promise would cost more than all the rest.
  const turns = createHook({
    trackPromises: false,
    // A request that starts to wait for one of these was being worked on until now, even if it was not current.
    init: () => {
      const worked = storage.getStore();
      if (worked?.shares === shares) claimWork(worked.request);
    },
    before: () => {
      recordWork(current);
      const worked = storage.getStore();
      current = worked?.shares === shares ? worked.request : undefined;
    },
  }).enable();
  app.addHook('onClose', async () => void turns.disable());
  app.addHook('onRequest', (request, _reply, done) => {
    // The caller is not known yet; it will be at the next mark.
    current = request;
    // A body arrives in the context of its connection, even after the answer.
    request.raw.on('chunk', () => {
      current = request;
    });
    storage.run({ request, shares }, done);
  });
  // The body is parsed once it has ended.
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
    storage.run({ request, shares }, done);
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

/** Reading the processor time costs more than most of the work that is measured. */
const LONG_MS = 5;

/** Measures how long the loop has worked since the last call, except while another program had the processor. */
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
