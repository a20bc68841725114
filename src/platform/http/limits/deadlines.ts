/** The deadlines of requests: for their bodies, for the answers, and until an answer is read. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '../app-type.ts';
import { httpLimits } from './limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How long the answer may take, if the default does not apply. */
    answerMs?: number;
  }
}

/** One timer for all items: one for each would cost more than the rest of the work for a small request. */
export function createDeadlines<Item>(
  handleOverdue: (item: Item) => void,
  checkMs: number = httpLimits.checkMs,
) {
  const deadlines = new Map<Item, number>();
  let timer: NodeJS.Timeout | undefined;

  function checkDeadlines(): void {
    const now = performance.now();
    for (const [item, deadline] of deadlines)
      if (deadline <= now) {
        deadlines.delete(item);
        handleOverdue(item);
      }
    if (deadlines.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    set: (item: Item, ms: number) => {
      deadlines.set(item, performance.now() + ms);
      timer ??= setInterval(checkDeadlines, checkMs).unref();
    },
    /** Returns false if the item has no deadline. */
    delete: (item: Item) => deadlines.delete(item),
    items: () => deadlines.keys(),
    count: () => deadlines.size,
  };
}

/** A short time limit for small bodies: Node has only one limit for all requests, and uploads need minutes. */
export function addBodyTimeout(app: App): void {
  const arriving = createDeadlines(endSlowBody);
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request) && !request.routeOptions.config.upload) arriving.set(reply, httpLimits.requestMs);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (request.raw.complete) arriving.delete(reply);
    // Reads and drops the rest of a refused upload, so that the client can read the reason, but not for minutes.
    else if (request.routeOptions.config.upload) arriving.set(reply, httpLimits.requestMs);
    done();
  });
}

/** RFC 9112 §6: one of these headers signals a body. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function endSlowBody(reply: FastifyReply): void {
  const { raw } = reply.request;
  if (raw.complete || raw.destroyed) return;
  // Discard whatever still arrives.
  reply.raw.once('close', () => raw.destroy());
  if (reply.sent) raw.destroy();
  else reply.header('connection', 'close').send(new ServiceError('request_timeout'));
}

/**
 * Ends slow requests, and closes connections when the service stops. Fastify's own limit would create a timer and an
 * AbortController for every request.
 */
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
