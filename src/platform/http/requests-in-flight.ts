/** Keeps the requests that have no answer yet: ends those that take too long, and at a stop closes their connections. */
import type { FastifyReply } from 'fastify';
import { ServiceError } from '#platform/errors.ts';
import type { App } from './app.ts';
import { httpLimits } from './limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long the answer may take, if not as long as usual. */
    answerMs?: number;
  }
}

/** One timer for all: the limit that Fastify offers makes a timer and an AbortController for every request. */
export function addRequestsInFlight(app: App): void {
  const deadlines = new Map<FastifyReply, number>();
  let timer: NodeJS.Timeout | undefined;
  let closing = false;

  function endOverdueRequests(): void {
    const now = performance.now();
    for (const [reply, deadline] of deadlines)
      if (deadline <= now) {
        deadlines.delete(reply);
        endRequest(reply);
      }
    if (deadlines.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  app.addHook('onRequest', (request, reply, done) => {
    const { answerMs = httpLimits.responseMs } = request.routeOptions.config;
    deadlines.set(reply, performance.now() + answerMs);
    timer ??= setInterval(endOverdueRequests, httpLimits.checkMs).unref();
    if (closing) reply.header('connection', 'close');
    done();
  });
  app.addHook('onResponse', (_request, reply, done) => {
    deadlines.delete(reply);
    done();
  });
  // Fastify keeps connections of requests that began before closing, which would delay the shutdown by seconds.
  app.addHook('preClose', async () => {
    closing = true;
    for (const reply of deadlines.keys()) reply.header('connection', 'close');
  });
}

function endRequest(reply: FastifyReply): void {
  // Also true where the OAuth engine answers, and where the caller has gone.
  if (reply.sent || reply.raw.destroyed) return;
  if (reply.raw.headersSent) reply.raw.destroy();
  else reply.send(new ServiceError('answer_timeout'));
}
