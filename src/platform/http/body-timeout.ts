/** A short time limit for small bodies: Node has only one limit for all requests, and uploads need minutes. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '#platform/errors.ts';
import type { App } from './app.ts';
import { httpLimits } from './limits.ts';

export function addBodyTimeout(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request) && !request.routeOptions.config.upload) startBodyTimer(request, reply);
    done();
  });
}

/** RFC 9112 §6: one of these headers signals a body. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function startBodyTimer({ raw }: FastifyRequest, reply: FastifyReply): void {
  const timer = setTimeout(() => {
    // Discard whatever still arrives.
    reply.raw.once('close', () => raw.destroy());
    if (reply.sent) raw.destroy();
    else reply.header('connection', 'close').send(new ServiceError('request_timeout'));
  }, httpLimits.requestMs);
  const stopTimer = () => clearTimeout(timer);
  raw.once('end', stopTimer);
  raw.once('close', stopTimer);
}
