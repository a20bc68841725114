/** The machine-readable description of the API (specification 4.4 and 9). */
import { agentPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { createLazy } from '#platform/lazy.ts';
import type { OpenApiDocument, OpenApiSource } from './openapi-document.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

/** Gives whoever shows it the same document. */
export function addOpenApiRoutes(app: App, parts: OpenApiSource): () => Promise<OpenApiDocument> {
  const document = createLazy(async () => {
    const { buildOpenApiDocument } = await import('./openapi-document.ts');
    return await buildOpenApiDocument(parts);
  });
  addPublicDocumentRoutes(app, {
    path: agentPaths.openapi,
    type: 'application/json',
    make: async () => serializeJson(await document()),
  });
  return document;
}
