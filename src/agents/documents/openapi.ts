/** The machine-readable description of the API (specification 4.4 and 9). */
import { agentPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import type { OpenApiDocument, OpenApiParts } from './openapi-document.ts';
import { addPublished, json, once } from './public-document.ts';

/** Gives whoever shows it the same document. */
export function addOpenApi(app: App, parts: OpenApiParts): () => Promise<OpenApiDocument> {
  const document = once(async () => {
    const { openApiDocument } = await import('./openapi-document.ts');
    return await openApiDocument(parts);
  });
  addPublished(app, {
    path: agentPaths.openapi,
    type: 'application/json',
    make: async () => json(await document()),
  });
  return document;
}
