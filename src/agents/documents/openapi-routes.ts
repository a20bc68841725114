/** The operations of the API, gathered as their routes are added: whatever names itself is one. */
import type { RouteOptions } from 'fastify';
import type { App } from '#platform/http/app.ts';

/** What of a route its description is made from. */
export type DescribedRoute = Pick<RouteOptions, 'config' | 'schema' | 'bodyLimit'> & {
  readonly method: string;
  readonly url: string;
};

/** Before any route: a hook sees only what comes after it. */
export function collectDescribedRoutes(app: App): readonly DescribedRoute[] {
  const gathered: DescribedRoute[] = [];
  app.addHook('onRoute', ({ method, url, config, schema, bodyLimit }: RouteOptions) => {
    if (typeof method !== 'string' || method === 'HEAD' || !schema?.operationId) return;
    gathered.push({
      method,
      url,
      ...(config && { config }),
      ...(schema && { schema }),
      ...(bodyLimit && { bodyLimit }),
    });
  });
  return gathered;
}
