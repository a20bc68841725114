/** Tracks requests until their answer is read: ends slow ones, and closes connections when the service stops. */
import type { FastifyReply } from 'fastify';
import { SECOND_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '../app.ts';
import { createDeadlines } from './deadlines.ts';
import { httpLimits } from './limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long the answer may take, if the default does not apply. */
    answerMs?: number;
  }
}

/** Fastify's own limit would create a timer and an AbortController for every request. */
export function addRequestsInFlight(app: App): void {
  const unanswered = createDeadlines(endRequest);
  let closing = false;
  app.addHook('onRequest', (request, reply, done) => {
    const { answerMs = httpLimits.responseMs } = request.routeOptions.config;
    unanswered.set(reply, answerMs);
    // The whole answer, or the last part of a file, is in our memory until it is read. A client that reads a few bytes
    // now and then would never reach the silence limit.
    reply.raw.once('prefinish', () => unanswered.set(reply, computeReadMs(reply)));
    // Also emitted if the caller has hung up, which Fastify does not report.
    reply.raw.once('close', () => unanswered.delete(reply));
    if (closing) reply.header('connection', 'close');
    done();
  });
  // Fastify keeps connections of requests that began before closing, which would delay the shutdown by seconds.
  app.addHook('preClose', async () => {
    closing = true;
    for (const reply of unanswered.items()) reply.header('connection', 'close');
  });
}

function computeReadMs({ raw }: FastifyReply): number {
  const unreadBytes = raw.socket?.writableLength ?? 0;
  return httpLimits.readMs + (unreadBytes / httpLimits.readBytesPerSecond) * SECOND_MS;
}

function endRequest(reply: FastifyReply): void {
  const { raw } = reply;
  // The caller has gone, or the OAuth engine is about to answer.
  if (raw.destroyed || (reply.sent && !raw.writableEnded)) return;
  if (raw.headersSent) raw.destroy();
  else reply.send(new ServiceError('answer_timeout'));
}
