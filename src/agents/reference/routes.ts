/** Serves the API reference: the OpenAPI document as pages, each rendered once. */
import type { OpenApiDocument } from '#agents/documents/openapi-document.ts';
import { ENGLISH } from '#language/languages.ts';
import { agentPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app-type.ts';
import { createLazy } from '#platform/lazy.ts';
import { giveWay } from '#platform/turns.ts';
import type { HtmlPage, PageFrame } from '#view/page.ts';
import { addPublicPageRoutes } from '#view/public-page.ts';
import { createReadablePage } from '#view/static-page.ts';
import { CHAPTERS } from './chapters.ts';

const loadPagesModule = createLazy(() => import('./pages.ts'));
type Pages = Awaited<ReturnType<typeof loadPagesModule>>;

export function addDocsRoutes(
  app: App,
  getDocument: () => Promise<OpenApiDocument>,
  frame: PageFrame,
  testNote: string,
): void {
  const addPage = (route: string, render: (pages: Pages, document: OpenApiDocument) => HtmlPage) => {
    const getPage = createReadablePage(frame, route, async () => {
      const pages = await loadPagesModule();
      const document = await getDocument();
      await giveWay();
      const page = render(pages, document);
      return { ...page, script: 'reference', language: ENGLISH, hasLanguageChoice: false };
    });
    addPublicPageRoutes(app, frame, { route, getPage });
  };
  addPage(agentPaths.docs, ({ renderIndexPage }, document) => renderIndexPage(document, testNote));
  for (const chapter of CHAPTERS)
    addPage(chapter.path, ({ renderChapterPage }, document) => renderChapterPage(document, chapter));
}
