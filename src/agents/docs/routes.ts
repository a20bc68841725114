/** The API reference: the OpenAPI description as a page, rendered once, without a script. */
import type { OpenApiDocument } from '#agents/documents/openapi-document.ts';
import { agentPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { createLazy } from '#platform/lazy.ts';
import { prepareStaticPage, sendStaticPage } from '#view/document.ts';
import { HTML_MEDIA_TYPE, type PageFrame } from '#view/page.ts';

export function addDocsRoutes(app: App, document: () => Promise<OpenApiDocument>, frame: PageFrame): void {
  const prepared = createLazy(async () => {
    const { renderDocsPage } = await import('./page.ts');
    return await prepareStaticPage(frame, renderDocsPage(await document()));
  });
  app.get(
    agentPaths.docs,
    { config: { access: 'public', produces: HTML_MEDIA_TYPE } },
    async (request, reply) => sendStaticPage(request, reply, await prepared()),
  );
}
