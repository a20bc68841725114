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
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.routeOptions.config.upload) startLeftoverTimer(request);
    done();
  });
}

/** The rest of an upload that was refused is read and dropped, so that the client can read why, but not for minutes. */
function startLeftoverTimer({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return;
  const timer = setTimeout(() => raw.destroy(), httpLimits.requestMs);
  raw.once('close', () => clearTimeout(timer));
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
