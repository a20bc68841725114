/** Refuses requests while the service falls behind or runs out of memory: first those of the callers who cause it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { totalmem } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import v8 from 'node:v8';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '#platform/errors.ts';
import type { App } from './app.ts';
import { httpLimits, workLimits } from './limits.ts';
import { type LoopShares, readCaller } from './loop-time.ts';

const RESOLUTION_MS = 10;
const SAMPLE_MS = 1_000;
/** A single long task, such as loading a module, is not an overload. */
const SAMPLES_BEHIND = 2;
const MEMORY_CHECK_MS = 100;

/** `readWaitMs` tells how long the first in the line for the store has waited. */
export function addLoadShedding(app: App, shares: LoopShares, readWaitMs: () => number): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let samplesBehind = 0;
  let isMostlyHeavy = false;
  const timer = setInterval(() => {
    const behindMs = delays.count === 0 ? SAMPLE_MS : delays.mean / 1e6 - RESOLUTION_MS;
    samplesBehind = behindMs > httpLimits.eventLoopDelayMs ? samplesBehind + 1 : 0;
    isMostlyHeavy = shares.isMostlyHeavy();
    delays.reset();
  }, SAMPLE_MS).unref();
  const isShortOfMemory = createMemoryCheck();
  const takeTurn = createTurns();

  function findRefusal(request: FastifyRequest): ServiceError | undefined {
    const caller = readCaller(request);
    const seconds = shares.readWaitSeconds(caller);
    if (seconds > 0) return new ServiceError('rate_limited', { headers: { 'retry-after': String(seconds) } });
    if (isShortOfMemory()) return new ServiceError('overloaded');
    const isBehind = samplesBehind >= SAMPLES_BEHIND || readWaitMs() > httpLimits.storeWaitMs;
    // Nobody else is turned away for what few callers do.
    const isSpared = isMostlyHeavy && shares.read(caller) < workLimits.heavyShare;
    return isBehind && !isSpared ? new ServiceError('overloaded') : undefined;
  }

  // Before its body is read: to refuse costs little, and who came first gets the time.
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.routeOptions.config.liveness ? undefined : findRefusal(request));
  });
  // Again before the work begins: of many requests that came at once, the first may have used up the share of all.
  app.addHook('preValidation', (request, _reply, done) => {
    if (shares.read(readCaller(request)) < workLimits.heavyShare) return done();
    takeTurn(() => done(request.routeOptions.config.liveness ? undefined : findRefusal(request)));
  });
  app.addHook('onClose', async () => {
    clearInterval(timer);
    delays.disable();
  });
}

/** One of those that wait begins in each turn of the event loop, so that others are heard in between. */
function createTurns(): (begin: () => void) => void {
  const waiting: (() => void)[] = [];
  function beginNext(): void {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(beginNext);
  }
  return (begin) => {
    if (waiting.push(AsyncLocalStorage.bind(begin)) === 1) setImmediate(beginNext);
  };
}

/** Long before V8 gives up, or the container is ended: a request under way needs room to end. */
function createMemoryCheck(): () => boolean {
  const containerBytes = Math.min(process.constrainedMemory() || totalmem(), totalmem());
  let checkedAt = -MEMORY_CHECK_MS;
  let isShort = false;
  return () => {
    const now = performance.now();
    if (now - checkedAt < MEMORY_CHECK_MS) return isShort;
    checkedAt = now;
    const { used_heap_size: used, heap_size_limit: limit } = v8.getHeapStatistics();
    isShort = Math.max(used / limit, readResidentBytes() / containerBytes) > workLimits.memoryShare;
    return isShort;
  };
}

/** Opens a file, which fails when a flood of connections has used up all descriptors. */
function readResidentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}
