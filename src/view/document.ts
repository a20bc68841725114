/** A page that is the same for everyone: rendered and compressed once for each language, for its first reader. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#language/language.ts';
import { createLazy, type Lazy } from '#platform/lazy.ts';
import {
  compressContent,
  type EncodedContent,
  negotiateContentCoding,
  sendEncodedContent,
} from './content-coding.ts';
import { type HtmlPage, type PageFrame, renderPage, withPageHeaders } from './page.ts';
import { negotiateLanguage } from './request-language.ts';

export interface StaticPage {
  readonly page: HtmlPage;
  readonly content: EncodedContent;
}

/** The page in the language of the request. */
export type StaticPages = (request: FastifyRequest) => Promise<StaticPage>;

export function createStaticPage(
  frame: PageFrame,
  create: (language: Language) => HtmlPage | Promise<HtmlPage>,
): StaticPages {
  const prepared = new Map<Language, Lazy<StaticPage>>();
  const prepareStaticPage = async (language: Language) => {
    const page = { language, ...(await create(language)) };
    return { page, content: await compressContent(Buffer.from(renderPage(frame, page))) };
  };
  return async (request) => {
    const language = negotiateLanguage(request);
    const prepare = prepared.get(language) ?? createLazy(() => prepareStaticPage(language));
    prepared.set(language, prepare);
    return await prepare();
  };
}

export function sendStaticPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, content }: StaticPage,
): FastifyReply {
  const coding = negotiateContentCoding(request, content);
  return sendEncodedContent(withPageHeaders(reply, page), content, coding);
}
