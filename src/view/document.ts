/** A page that is the same for everyone: rendered and compressed once. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Coded, codingFor, compressed, sendCoded } from './content-coding.ts';
import { type Frame, type Page, renderPage, withPageHeaders } from './page.ts';

export interface Document {
  readonly page: Page;
  readonly coded: Coded;
}

export async function prepareDocument(frame: Frame, page: Page): Promise<Document> {
  return { page, coded: await compressed(Buffer.from(renderPage(frame, page))) };
}

export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, coded }: Document,
): FastifyReply {
  const coding = codingFor(request, coded);
  return sendCoded(withPageHeaders(reply, page), coded, coding);
}
