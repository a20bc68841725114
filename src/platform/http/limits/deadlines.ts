/** Deadlines of many items, watched by a single timer that runs only while there are any. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '../app.ts';
import { httpLimits } from './limits.ts';

export interface Deadlines<Item> {
  readonly set: (item: Item, ms: number) => void;
  /** Returns false if the item has no deadline. */
  readonly delete: (item: Item) => boolean;
  readonly items: () => Iterable<Item>;
  readonly count: () => number;
}

/** A timer for each item would cost more than the rest of the work for a small request. */
export function createDeadlines<Item>(
  handleOverdue: (item: Item) => void,
  checkMs: number = httpLimits.checkMs,
): Deadlines<Item> {
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
    set: (item, ms) => {
      deadlines.set(item, performance.now() + ms);
      timer ??= setInterval(checkDeadlines, checkMs).unref();
    },
    delete: (item) => deadlines.delete(item),
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
