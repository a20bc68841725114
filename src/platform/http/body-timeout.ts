/** Small bodies must come at once: Node's own limit is one for all requests, and an upload needs minutes. */
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

/** RFC 9112 §6: a request has a body if and only if one of these says so. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function startBodyTimer({ raw }: FastifyRequest, reply: FastifyReply): void {
  const timer = setTimeout(() => {
    // Whatever else comes belongs to nobody.
    reply.raw.once('close', () => raw.destroy());
    if (reply.sent) raw.destroy();
    else reply.header('connection', 'close').send(new ServiceError('request_timeout'));
  }, httpLimits.requestMs);
  const stopTimer = () => clearTimeout(timer);
  raw.once('end', stopTimer);
  raw.once('close', stopTimer);
}
