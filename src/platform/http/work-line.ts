/** Lets so many requests be worked on at the same time; the others wait in the order of their coming, for a second at most. */
import type { FastifyReply } from 'fastify';
import { SECOND_MS } from '#platform/durations.ts';
import { WaitingLine } from '#platform/waiting-line.ts';
import type { App } from './app.ts';
import { createDeadlines } from './deadlines.ts';

/** As many as share one commit of the store. */
const MAX_AT_WORK = 64;
const MAX_WAIT_MS = SECOND_MS;
/** Who takes longer waits for somebody else, such as the payment provider, and does not keep others from beginning. */
const MAX_WORK_MS = SECOND_MS;
const CHECK_MS = 100;

interface WaitingRequest {
  readonly reply: FastifyReply;
  readonly proceed: () => void;
  readonly reject: (error: unknown) => void;
}

/** After the body has been read: a slow sender keeps nobody waiting. */
export function addWorkLine(app: App): void {
  const line = new WaitingLine<WaitingRequest>();
  const atWork = createDeadlines(beginNext, CHECK_MS);

  function begin({ reply, proceed }: WaitingRequest): void {
    // Its caller has hung up while it waited: nothing has been done for it yet.
    if (reply.raw.destroyed) return;
    atWork.set(reply, MAX_WORK_MS);
    // Also if the caller hangs up, of which Fastify tells nothing.
    reply.raw.once('close', () => {
      if (atWork.delete(reply)) beginNext();
    });
    proceed();
  }

  function beginNext(): void {
    while (!line.isEmpty && atWork.count() < MAX_AT_WORK)
      line.take(MAX_AT_WORK - atWork.count()).forEach(begin);
  }

  app.addHook('preValidation', (request, reply, done) => {
    if (request.routeOptions.config.liveness) return done();
    const waiting = { reply, proceed: done, reject: (error: unknown) => done(error as Error) };
    if (atWork.count() < MAX_AT_WORK && line.isEmpty) return begin(waiting);
    line.join(waiting, MAX_WAIT_MS);
  });
}
