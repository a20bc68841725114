/** A page that is the same for everyone: rendered and compressed once. */
import type { FastifyReply, FastifyRequest } from 'fastify';
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

export async function prepareStaticPage(frame: PageFrame, page: HtmlPage): Promise<StaticPage> {
  return { page, content: await compressContent(Buffer.from(renderPage(frame, page))) };
}

export function sendStaticPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, content }: StaticPage,
): FastifyReply {
  const coding = negotiateContentCoding(request, content);
  return sendEncodedContent(withPageHeaders(reply, page), content, coding);
}
