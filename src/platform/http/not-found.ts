/** Tells an unknown address (404) from a known one that takes other methods (405, RFC 9110 §15.5.6). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '#platform/errors.ts';

export function unknownAddress(app: FastifyInstance) {
  return (request: FastifyRequest): never => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = allowedMethods(app, path);
    if (methods.length === 0) throw new ServiceError('not_found');
    throw new ServiceError('method_not_allowed', { headers: { allow: methods.join(', ') } });
  };
}

function allowedMethods(app: FastifyInstance, path: string): string[] {
  return app.supportedMethods.filter((method) => app.findRoute({ method, url: path }));
}
