/** Keeps the requests that have no answer yet: ends those that take too long, and at a stop closes their connections. */
import type { FastifyReply } from 'fastify';
import { ServiceError } from '#platform/errors.ts';
import type { App } from './app.ts';
import { createDeadlines } from './deadlines.ts';
import { httpLimits } from './limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long the answer may take, if not as long as usual. */
    answerMs?: number;
  }
}

/** Fastify's own limit would make a timer and an AbortController for every request. */
export function addRequestsInFlight(app: App): void {
  const unanswered = createDeadlines(endRequest);
  let closing = false;
  app.addHook('onRequest', (request, reply, done) => {
    const { answerMs = httpLimits.responseMs } = request.routeOptions.config;
    unanswered.set(reply, answerMs);
    // Also if the caller has hung up, of which Fastify tells nothing.
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

function endRequest(reply: FastifyReply): void {
  // Also true where the OAuth engine answers, and where the caller has gone.
  if (reply.sent || reply.raw.destroyed) return;
  if (reply.raw.headersSent) reply.raw.destroy();
  else reply.send(new ServiceError('answer_timeout'));
}
