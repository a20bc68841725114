/** Serves the API reference: the OpenAPI document as a page without scripts, rendered once. */
import type { OpenApiDocument } from '#agents/documents/openapi-document.ts';
import { ENGLISH } from '#language/languages.ts';
import { agentPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { createLazy } from '#platform/lazy.ts';
import { giveWay } from '#platform/turns.ts';
import { createReadablePage } from '#view/document.ts';
import type { PageFrame } from '#view/page.ts';
import { addPublicPageRoutes } from '#view/public-page.ts';

const loadPageModule = createLazy(() => import('./page.ts'));

export function addDocsRoutes(app: App, getDocument: () => Promise<OpenApiDocument>, frame: PageFrame): void {
  const getPage = createReadablePage(frame, agentPaths.docs, async () => {
    const { renderDocsPage } = await loadPageModule();
    const document = await getDocument();
    await giveWay();
    return { ...renderDocsPage(document), language: ENGLISH, hasLanguageChoice: false };
  });
  addPublicPageRoutes(app, frame, { route: agentPaths.docs, getPage });
}
