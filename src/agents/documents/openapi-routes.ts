/** Collects the routes that have an operation id, for the OpenAPI document. */
import type { RouteOptions } from 'fastify';
import type { App } from '#platform/http/app.ts';

/** The parts of a route that its description needs. */
export type DescribedRoute = Pick<RouteOptions, 'config' | 'schema' | 'bodyLimit'> & {
  readonly method: string;
  readonly url: string;
};

/** Call it before adding routes: the hook sees only routes that are added later. */
export function collectDescribedRoutes(app: App): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', ({ method, url, config, schema, bodyLimit }: RouteOptions) => {
    if (typeof method !== 'string' || method === 'HEAD' || !schema?.operationId) return;
    routes.push({
      method,
      url,
      ...(config && { config }),
      ...(schema && { schema }),
      ...(bodyLimit && { bodyLimit }),
    });
  });
  return routes;
}
