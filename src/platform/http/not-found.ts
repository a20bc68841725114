/** Tells an unknown address (404) from a known one that takes other methods (405, RFC 9110 §15.5.6). */
import { ServiceError } from '#platform/errors.ts';
import type { App } from './app.ts';
import { createRateLimitError } from './rate-limit.ts';

/** Decided before the body is read: nobody's upload is waited for in order to refuse it. */
export function addNotFoundCheck(app: App): void {
  const count = app.hasDecorator('createRateLimit') ? app.createRateLimit() : null;
  app.addHook('onRequest', async (request) => {
    if (!request.is404) return;
    const counted = await count?.(request);
    if (counted && !counted.isAllowed && counted.isExceeded)
      throw createRateLimitError(counted.max, counted.ttlInSeconds);
    const methods = listAllowedMethods(app, request.url.split('?', 1)[0] ?? '');
    if (methods.length === 0) throw new ServiceError('not_found');
    throw new ServiceError('method_not_allowed', { headers: { allow: methods.join(', ') } });
  });
}

function listAllowedMethods(app: App, path: string): string[] {
  return app.supportedMethods.filter((method) => app.findRoute({ method, url: path }));
}
