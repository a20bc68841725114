/** The API reference: the OpenAPI description as a page, rendered once, without a script. */
import type { OpenApiDocument } from '#agents/documents/openapi-document.ts';
import { once } from '#agents/documents/public-document.ts';
import { agentPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { prepareDocument, sendDocument } from '#view/document.ts';
import { type Frame, HTML } from '#view/page.ts';

export function addDocs(app: App, document: () => Promise<OpenApiDocument>, frame: Frame): void {
  const prepared = once(async () => {
    const { docsPage } = await import('./page.ts');
    return await prepareDocument(frame, docsPage(await document()));
  });
  app.get(agentPaths.docs, { config: { access: 'public', produces: HTML } }, async (request, reply) =>
    sendDocument(request, reply, await prepared()),
  );
}
