/** A short time limit for small bodies: Node has only one limit for all requests, and uploads need minutes. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '../app.ts';
import { createDeadlines } from './deadlines.ts';
import { httpLimits } from './limits.ts';

export function addBodyTimeout(app: App): void {
  const arriving = createDeadlines(endSlowBody);
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request) && !request.routeOptions.config.upload) arriving.set(reply, httpLimits.requestMs);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (request.raw.complete) arriving.delete(reply);
    // The rest of an upload that was refused is read and dropped, so that the client can read why, but not for minutes.
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
