/** The routes of a public page: HTML or, for programs that prefer it, Markdown, which also has a separate address. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ENGLISH } from '#language/languages.ts';
import { buildMarkdownPath } from '#platform/addresses.ts';
import { isMarkdownPreferred, MARKDOWN_MEDIA_TYPE } from '#platform/http/accept.ts';
import type { App } from '#platform/http/app-type.ts';
import { SHARED_DOCUMENT_HEADERS, sendDocumentVersion } from './document-version.ts';
import { HTML_MEDIA_TYPE, PAGE_VARY, type PageFrame } from './page.ts';
import { type ReadablePage, type ReadablePages, sendStaticPage } from './static-page.ts';

interface PublicPage {
  /** The path, which may have a parameter. */
  readonly route: string;
  readonly getPage: ReadablePages;
  /** The page for browsers, if it may show more to its reader than the Markdown does. */
  readonly getReaderPage?: ReadablePages;
  /** More links for the `Link` header (RFC 8288 §3). */
  readonly links?: string;
}

export function addPublicPageRoutes(
  app: App,
  { site }: Pick<PageFrame, 'site'>,
  { route, getPage, getReaderPage = getPage, links }: PublicPage,
): void {
  const listLinks = ({ path }: ReadablePage) => {
    const markdown = `<${site}${buildMarkdownPath(path)}>; rel="alternate"; type="${MARKDOWN_MEDIA_TYPE}"`;
    return links ? `${markdown}, ${links}` : markdown;
  };
  app.get(route, { config: { access: 'public', produces: HTML_MEDIA_TYPE } }, async (request, reply) => {
    if (isMarkdownPreferred(request.raw)) {
      const page = await getPage(request);
      // RFC 9110 §8.7: the address of the same content without negotiation.
      const location = site + buildMarkdownPath(page.path);
      const headers = { link: listLinks(page), 'content-location': location, vary: PAGE_VARY.readable };
      return await sendPageMarkdown(request, reply, page, headers);
    }
    const page = await getReaderPage(request);
    return sendStaticPage(request, reply.header('link', listLinks(page)), page);
  });
  app.get(
    buildMarkdownPath(route),
    { config: { access: 'public', produces: '*/*', anyOrigin: true } },
    async (request, reply) => {
      const page = await getPage(request);
      const link = `<${site}${page.path}>; rel="canonical"`;
      const headers = { ...SHARED_DOCUMENT_HEADERS, link, vary: PAGE_VARY.page };
      return await sendPageMarkdown(request, reply, page, headers);
    },
  );
}

async function sendPageMarkdown(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, getMarkdown }: ReadablePage,
  headers: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  const { language = ENGLISH, status = 200 } = page;
  return sendDocumentVersion(request, reply.code(status), await getMarkdown(), {
    ...headers,
    // A page that is temporarily unavailable must not be cached.
    ...(status === 200 ? {} : { 'cache-control': 'no-store' }),
    'content-type': `${MARKDOWN_MEDIA_TYPE}; charset=utf-8`,
    'content-language': language.tag,
  });
}
