/** A page that is the same for everyone: rendered and compressed once for each language, when first requested. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#language/language.ts';
import { buildMarkdownPath } from '#platform/addresses.ts';
import { createLazy, type Lazy } from '#platform/lazy.ts';
import {
  compressContent,
  type EncodedContent,
  negotiateContentCoding,
  sendEncodedContent,
} from './content-coding.ts';
import { createDocumentVersion, type DocumentVersion } from './document-version.ts';
import type { MarkdownSource } from './markdown/markdown-writer.ts';
import { type HtmlPage, type PageFrame, renderPage, withPageHeaders } from './page.ts';
import { negotiateLanguage } from './request-language.ts';

export interface StaticPage {
  readonly page: HtmlPage;
  readonly content: EncodedContent;
}

/** A page with a fixed address, also available to programs as Markdown. */
export interface ReadablePage extends StaticPage {
  readonly path: string;
  readonly getMarkdown: Lazy<DocumentVersion>;
}

/** The page in the language of the request. */
export type StaticPages = (request: FastifyRequest) => Promise<StaticPage>;
export type ReadablePages = (request: FastifyRequest) => Promise<ReadablePage>;

type CreatePage<Page> = (language: Language) => Page | Promise<Page>;

const loadMarkdownModule = createLazy(() => import('./markdown/markdown-writer.ts'));

export function createStaticPage(frame: PageFrame, create: CreatePage<HtmlPage>): StaticPages {
  return keepByLanguage(async (language) => {
    const page = { language, ...(await create(language)) };
    return { page, content: await compressPage(frame, page) };
  });
}

/** `path` is the address of the page. */
export function createReadablePage(
  frame: PageFrame,
  path: string,
  create: CreatePage<HtmlPage & MarkdownSource>,
): ReadablePages {
  return keepByLanguage(async (language) => {
    const page = { language, ...(await create(language)), markdownPath: buildMarkdownPath(path) };
    const getMarkdown = createLazy(async () => {
      const { writePageMarkdown } = await loadMarkdownModule();
      return await createDocumentVersion(writePageMarkdown(frame, page, path));
    });
    return { path, page, content: await compressPage(frame, page), getMarkdown };
  });
}

function keepByLanguage<Page>(
  prepare: (language: Language) => Promise<Page>,
): (request: FastifyRequest) => Promise<Page> {
  const kept = new Map<Language, Lazy<Page>>();
  return async (request) => {
    const language = negotiateLanguage(request);
    const prepareOnce = kept.get(language) ?? createLazy(() => prepare(language));
    kept.set(language, prepareOnce);
    return await prepareOnce();
  };
}

async function compressPage(frame: PageFrame, page: HtmlPage): Promise<EncodedContent> {
  return await compressContent(Buffer.from(renderPage(frame, page)));
}

export function sendStaticPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, content }: StaticPage,
): FastifyReply {
  const coding = negotiateContentCoding(request, content);
  return sendEncodedContent(withPageHeaders(reply, page), content, coding);
}
