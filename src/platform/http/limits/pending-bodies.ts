/** Bounds the bytes of bodies that are still arriving, per caller and in total: they are in memory until they end. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '../app.ts';
import { httpLimits, workLimits } from './limits.ts';
import { readMemoryLimit } from './load-shedding.ts';
import { readCaller } from './loop-time.ts';

/** Counts the announced length, not what has arrived: otherwise too many could begin while there is room. */
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
