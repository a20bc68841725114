/** A page that is the same for everyone: rendered and compressed once, for its first reader. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createLazy, type Lazy } from '#platform/lazy.ts';
import {
  compressContent,
  type EncodedContent,
  negotiateContentCoding,
  sendEncodedContent,
} from './content-coding.ts';
import { type HtmlPage, type PageFrame, renderPage, withPageHeaders } from './page.ts';

export interface StaticPage {
  readonly page: HtmlPage;
  readonly content: EncodedContent;
}

export function createStaticPage(
  frame: PageFrame,
  create: () => HtmlPage | Promise<HtmlPage>,
): Lazy<StaticPage> {
  return createLazy(async () => {
    const page = await create();
    return { page, content: await compressContent(Buffer.from(renderPage(frame, page))) };
  });
}

export function sendStaticPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, content }: StaticPage,
): FastifyReply {
  const coding = negotiateContentCoding(request, content);
  return sendEncodedContent(withPageHeaders(reply, page), content, coding);
}
