/** Serves the OpenAPI document (specification 4.4 and 9). */
import { agentPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { createLazy } from '#platform/lazy.ts';
import type { OpenApiDocument, OpenApiSource } from './openapi-document.ts';
import { addPublicDocumentRoutes } from './public-document.ts';

const loadComponentsModule = createLazy(() => import('./openapi-components.ts'));

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
