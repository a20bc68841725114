/** Collects the routes with an operation id, and serves their OpenAPI document (specification 4.4 and 9). */
import type { RouteOptions } from 'fastify';
import { agentPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { createLazy } from '#platform/lazy.ts';
import type { DescribedRoute, OpenApiDocument, OpenApiSource } from './openapi-document.ts';
import { addPublicDocumentRoutes } from './public-document.ts';

const loadComponentsModule = createLazy(() => import('./openapi-components.ts'));

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
export function addOpenApiRoutes(app: App, source: OpenApiSource): () => Promise<OpenApiDocument> {
  const getDocument = createLazy(async () => {
    const { buildOpenApiDocument } = await import('./openapi-document.ts');
    return await buildOpenApiDocument(source);
  });
  addPublicDocumentRoutes(app, {
    path: agentPaths.openapi,
    type: 'application/json',
    createText: async () => {
      const { moveToComponents } = await loadComponentsModule();
      return JSON.stringify(moveToComponents(await getDocument()));
    },
  });
  return getDocument;
}
