/** Lets so many requests be worked on at the same time; the others wait in the order of their coming, for a second at most. */
import type { FastifyReply } from 'fastify';
import { SECOND_MS } from '#platform/durations.ts';
import { WaitingLine } from '#platform/waiting-line.ts';
import type { App } from './app.ts';

/** As many as share one commit of the store. */
const MAX_AT_WORK = 64;
const MAX_WAIT_MS = SECOND_MS;
/** Who takes longer waits for somebody else, such as the payment provider, and does not keep others from beginning. */
const MAX_WORK_MS = SECOND_MS;
const CHECK_MS = 100;

interface WaitingRequest {
  readonly reply: FastifyReply;
  readonly begin: () => void;
  readonly reject: (error: unknown) => void;
}

/** After the body has been read: a slow sender keeps nobody waiting. */
export function addWorkLine(app: App): void {
  const line = new WaitingLine<WaitingRequest>();
  /** With the time at which each began. */
  const atWork = new Map<FastifyReply, number>();
  let timer: NodeJS.Timeout | undefined;

  function begin({ reply, begin: proceed }: WaitingRequest): void {
    atWork.set(reply, performance.now());
    // Also if the caller has hung up, of which Fastify tells nothing.
    reply.raw.once('close', () => release(reply));
    proceed();
  }

  function release(reply: FastifyReply): void {
    if (atWork.delete(reply) && !line.isEmpty) line.take(MAX_AT_WORK - atWork.size).forEach(begin);
  }

  function releaseSlow(): void {
    const before = performance.now() - MAX_WORK_MS;
    for (const [reply, since] of atWork) if (since < before) release(reply);
    if (atWork.size > 0 || !line.isEmpty) return;
    clearInterval(timer);
    timer = undefined;
  }

  app.addHook('preValidation', (request, reply, done) => {
    if (request.routeOptions.config.liveness) return done();
    const waiting = { reply, begin: done, reject: (error: unknown) => done(error as Error) };
    if (atWork.size < MAX_AT_WORK && line.isEmpty) return begin(waiting);
    timer ??= setInterval(releaseSlow, CHECK_MS).unref();
    line.join(waiting, MAX_WAIT_MS);
  });
}
