/** Sends a text that is the same for everyone: compressed, with a separate ETag for each coding. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  compressContent,
  type EncodedContent,
  negotiateContentCoding,
  sendEncodedContent,
} from './content-coding.ts';

/** Short, so that clients soon see a changed configuration. */
const CACHE = 'public, max-age=300';

export interface DocumentVersion {
  readonly content: EncodedContent;
  readonly hash: string;
}

export async function createDocumentVersion(text: string): Promise<DocumentVersion> {
  return { content: await compressContent(Buffer.from(text)), hash: hashDocument(text) };
}

/** For an ETag. */
export function hashDocument(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** `headers` are those of the document, including `content-type`. */
export function sendDocumentVersion(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, hash }: DocumentVersion,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  const coding = negotiateContentCoding(request, content);
  // RFC 9110 §8.8.3.3: each coding of a document needs a different ETag.
  const etag = `"${hash}${coding === 'identity' ? '' : `-${coding}`}"`;
  const { 'content-type': type = '', ...others } = headers;
  reply.headers({ etag, ...others });
  if (!matchesEtag(request, etag)) return sendEncodedContent(reply.type(type), content, coding);
  const varied = [reply.getHeader('vary') ?? [], 'accept-encoding'].flat();
  return reply.header('vary', varied.join(', ')).code(304).send();
}

/** For a document that pages of any site may read. */
export const SHARED_DOCUMENT_HEADERS = {
  'cache-control': CACHE,
  'cross-origin-resource-policy': 'cross-origin',
} as const;

/** RFC 9110 §13.1.2: weak comparison with a list of ETags, or `*`. */
export function matchesEtag({ headers }: FastifyRequest, etag: string): boolean {
  const condition = headers['if-none-match'];
  return condition !== undefined && listsEtag(condition.replaceAll('W/"', '"'), etag);
}

/** RFC 9110 §13.1.1: strong comparison. */
export function listsEtag(condition: string, etag: string): boolean {
  return condition.trim() === '*' || condition.split(',').some((candidate) => candidate.trim() === etag);
}
