/** Refuses requests while the service falls behind or runs out of memory: first those of the callers who cause it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { totalmem } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '../app-type.ts';
import { httpLimits, workLimits } from './limits.ts';
import { type LoopShares, readCaller } from './loop-time.ts';
import { refuseLate } from './rate-limit.ts';

const RESOLUTION_MS = 10;
const SAMPLE_MS = 1_000;
/** A single long task, such as loading a module, is not an overload. */
const SAMPLES_BEHIND = 2;
/** For a caller that is above its share. */
const MAX_WAIT_MS = 2_000;
const MEMORY_CHECK_MS = 100;
const COLLECTION_MS = 5_000;

/** `readWaitMs` returns how long the first in the line for the store has waited. */
export function addLoadShedding(app: App, shares: LoopShares, readWaitMs: () => number): void {
  const admit = createAdmission(shares, createOverloadCheck(app, shares, readWaitMs));
  const takeTurn = createTurns();
  // Runs before the body is read, when refusing is cheap and requests are still in order of arrival.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.liveness) done();
    else admit(readCaller(request), reply, done);
  });
  // Checked again before the work begins: of many simultaneous requests, the first may have used up the whole share.
  app.addHook('preValidation', (request, reply, done) => {
    const caller = readCaller(request);
    if (shares.read(caller) < workLimits.heavyShare || request.routeOptions.config.liveness) done();
    else takeTurn(() => admit(caller, reply, done));
  });
}

/** Decides whether to refuse a caller, which must not happen because of the requests of a few others. */
function createOverloadCheck(
  app: App,
  shares: LoopShares,
  readWaitMs: () => number,
): (caller: string) => boolean {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let samplesBehind = 0;
  const timer = setInterval(() => {
    const behindMs = delays.count === 0 ? SAMPLE_MS : delays.mean / 1e6 - RESOLUTION_MS;
    samplesBehind = behindMs > httpLimits.eventLoopDelayMs ? samplesBehind + 1 : 0;
    delays.reset();
  }, SAMPLE_MS).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    delays.disable();
  });
  const isShortOfMemory = createMemoryCheck();
  return (caller) => {
    if (isShortOfMemory()) return true;
    const isBehind = samplesBehind >= SAMPLES_BEHIND || readWaitMs() > httpLimits.storeWaitMs;
    return isBehind && !shares.isForOthers(caller);
  };
}

type Admission = (caller: string, reply: FastifyReply, done: (error?: Error) => void) => void;

/** One request of a caller may wait until there is room again, so a caller who sends one at a time is only slowed. */
function createAdmission(shares: LoopShares, isOverloaded: (caller: string) => boolean): Admission {
  const waiting = new Set<string>();
  const begin = (caller: string, done: (error?: Error) => void) =>
    done(isOverloaded(caller) ? new ServiceError('overloaded') : undefined);
  return (caller, reply, done) => {
    const waitMs = shares.readWaitMs(caller);
    if (waitMs === 0) {
      begin(caller, done);
    } else if (waitMs > MAX_WAIT_MS || waiting.has(caller)) {
      const headers = { 'retry-after': String(Math.ceil(waitMs / SECOND_MS)) };
      refuseLate(reply, new ServiceError('rate_limited', { headers }), done);
    } else {
      waiting.add(caller);
      setTimeout(() => {
        waiting.delete(caller);
        begin(caller, done);
      }, Math.ceil(waitMs));
    }
  };
}

/** Begins one waiting request in each turn of the event loop, so that others are handled in between. */
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

/** Reports a shortage long before V8 gives up or the container is killed: requests under way need memory to finish. */
function createMemoryCheck(): () => boolean {
  const containerBytes = readMemoryLimit();
  let checkedAt = -MEMORY_CHECK_MS;
  let collectedAt = -COLLECTION_MS;
  let isShort = false;
  return () => {
    const now = performance.now();
    if (now - checkedAt < MEMORY_CHECK_MS) return isShort;
    checkedAt = now;
    isShort = readMemoryShare(containerBytes) > workLimits.memoryShare;
    if (!isShort || now - collectedAt < COLLECTION_MS) return isShort;
    // Garbage counts until it is collected, which may never happen in a service that refuses every request.
    collectedAt = now;
    collectGarbage();
    isShort = readMemoryShare(containerBytes) > workLimits.memoryShare;
    return isShort;
  };
}

/** Of the container, or else of the machine. */
function readMemoryLimit(): number {
  return Math.min(process.constrainedMemory() || totalmem(), totalmem());
}

function readMemoryShare(containerBytes: number): number {
  const { used_heap_size: used, heap_size_limit: limit } = v8.getHeapStatistics();
  return Math.max(used / limit, readResidentBytes() / containerBytes);
}

function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** Opens a file, which fails when a flood of connections has used up all descriptors. */
function readResidentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/**
 * Bounds the bytes of bodies that are still arriving, per caller and in total: they are in memory until they end. Counts
 * the announced length, not what has arrived: otherwise too many could begin while there is room.
 */
export function addPendingBodies(app: App): void {
  const maxBytes = workLimits.pendingShare * readMemoryLimit();
  const pending = new Map<string, number>();
  let allBytes = 0;

  function add(caller: string, bytes: number): void {
    allBytes += bytes;
    const sum = (pending.get(caller) ?? 0) + bytes;
    if (sum === 0) pending.delete(caller);
    else pending.set(caller, sum);
  }

  // At this point the caller is known and nothing has been read.
  app.addHook('preParsing', (request, reply, payload, done) => {
    // The caller has hung up meanwhile, and no other `close` event will come.
    if (reply.raw.destroyed) return;
    const bytes = readExpectedBytes(request);
    if (bytes === 0) return done(null, payload);
    const caller = readCaller(request);
    if ((pending.get(caller) ?? 0) + bytes > httpLimits.pendingBytes || allBytes + bytes > maxBytes)
      return done(new ServiceError('overloaded'));
    add(caller, bytes);
    reply.raw.once('close', () => add(caller, -bytes));
    done(null, payload);
  });
}

/** A body longer than its route allows is refused at once, or its parser buffers no more than the limit. */
function readExpectedBytes({ headers, routeOptions: { bodyLimit, config } }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return bodyLimit;
  const bytes = Math.min(Number(headers['content-length'] ?? 0), bodyLimit);
  return bytes > 0 && config.upload ? Math.max(bytes, httpLimits.uploadBytes) : bytes;
}
