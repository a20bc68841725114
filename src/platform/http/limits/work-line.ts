/** Limits how many requests are worked on at once; the others wait in order of arrival, for a second at most. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyReply } from 'fastify';
import { SECOND_MS } from '#platform/durations.ts';
import { WaitingLine } from '#platform/waiting-line.ts';
import type { App } from '../app-type.ts';
import { createDeadlines } from './deadlines.ts';
import { workLimits } from './limits.ts';
import { readCaller } from './loop-time.ts';

/** The number of requests that share one commit of the store. */
const MAX_AT_WORK = 64;
const MAX_WAIT_MS = SECOND_MS;
/** A request that takes longer waits for another service, such as the payment provider, and must not hold up others. */
const MAX_WORK_MS = SECOND_MS;
const CHECK_MS = 100;

interface WaitingRequest {
  readonly reply: FastifyReply;
  readonly caller: string;
  readonly proceed: () => void;
  readonly reject: (error: unknown) => void;
}

/** Runs after the body has been read, so that slow senders delay no one. With `isFair`, no caller takes all places. */
export function addWorkLine(app: App, isFair: boolean): void {
  const line = new WaitingLine<WaitingRequest>();
  const atWork = createDeadlines<WaitingRequest>(leave, CHECK_MS);
  const places = new Map<string, number>();

  function mayBegin({ caller }: WaitingRequest): boolean {
    return atWork.count() < MAX_AT_WORK && (!isFair || (places.get(caller) ?? 0) < workLimits.atWork);
  }

  function begin(waiting: WaitingRequest): void {
    const { reply, caller, proceed } = waiting;
    // The caller hung up while the request waited: no work has been done for it yet.
    if (reply.raw.destroyed) return;
    atWork.set(waiting, MAX_WORK_MS);
    places.set(caller, (places.get(caller) ?? 0) + 1);
    // Also emitted if the caller hangs up, which Fastify does not report.
    reply.raw.once('close', () => {
      if (atWork.delete(waiting)) leave(waiting);
    });
    proceed();
  }

  function leave({ caller }: WaitingRequest): void {
    const left = (places.get(caller) ?? 1) - 1;
    if (left === 0) places.delete(caller);
    else places.set(caller, left);
    for (let next = line.takeReady(mayBegin); next; next = line.takeReady(mayBegin)) begin(next);
  }

  app.addHook('preValidation', (request, reply, done) => {
    if (request.routeOptions.config.liveness) return done();
    const waiting = {
      reply,
      caller: readCaller(request),
      proceed: done,
      reject: (error: unknown) => done(error as Error),
    };
    if (mayBegin(waiting)) return begin(waiting);
    // Continues in its own context, not in that of the request that makes room for it.
    line.join({ ...waiting, proceed: AsyncLocalStorage.bind(done) }, MAX_WAIT_MS);
  });
}
