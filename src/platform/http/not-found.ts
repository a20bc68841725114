/** Answers 404 for an unknown path and 405 for a known path with other methods (RFC 9110 §15.5.6). */
import { ServiceError } from '#platform/errors.ts';
import type { App } from './app.ts';

/** Decides before the body is read, so that an upload is refused without waiting for it. */
export function addNotFoundCheck(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    const methods = listAllowedMethods(app, request.url.split('?', 1)[0] ?? '');
    if (methods.length === 0) return done(new ServiceError('not_found'));
    done(new ServiceError('method_not_allowed', { headers: { allow: methods.join(', ') } }));
  });
}

function listAllowedMethods(app: App, path: string): string[] {
  return app.supportedMethods.filter((method) => app.findRoute({ method, url: path }));
}
