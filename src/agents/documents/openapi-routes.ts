/** Collects the routes with an operation id, and serves their OpenAPI document (specification 4.4 and 9). */
import type { RouteOptions } from 'fastify';
import { agentPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app-type.ts';
import { createLazy } from '#platform/lazy.ts';
import type { DescribedRoute, OpenApiDocument } from './openapi-document.ts';
import { addPublicDocumentRoutes, type DescribedSite } from './public-document.ts';

/** To be called before routes are added: the hook sees only later ones. */
export function collectDescribedRoutes(app: App): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', (route: RouteOptions) => {
    if (typeof route.method === 'string' && route.method !== 'HEAD' && route.schema?.operationId)
      routes.push(route as DescribedRoute);
  });
  return routes;
}

/** Returns a function that loads the same document, for the API reference. */
export function addOpenApiRoutes(
  app: App,
  site: DescribedSite,
  routes: readonly DescribedRoute[],
): () => Promise<OpenApiDocument> {
  const getDocument = createLazy(async () => {
    const { buildOpenApiDocument } = await import('./openapi-document.ts');
    return await buildOpenApiDocument(site, routes);
  });
  addPublicDocumentRoutes(app, {
    path: agentPaths.openapi,
    type: 'application/json',
    createText: async () => {
      const { moveToComponents } = await import('./openapi-components.ts');
      return JSON.stringify(moveToComponents(await getDocument()));
    },
  });
  return getDocument;
}
