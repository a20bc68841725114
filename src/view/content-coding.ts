/** Compresses content once and chooses the encoding for each request (RFC 9110 §12.5.3). */
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { ServiceError } from '#platform/errors.ts';

/** Smallest first: our order of preference, regardless of the client's. */
const CODINGS = ['br', 'gzip', 'identity'] as const;
const GZIP_LEVEL = 9;
/** The maximum is 11, which takes ten times as long at startup and saves only a few per cent. */
const BROTLI_QUALITY = 9;

type Coding = (typeof CODINGS)[number];
export type EncodedContent = Readonly<Partial<Record<Coding, Buffer>> & { identity: Buffer }>;

/** Only for content that is the same for everyone: compressing a secret together with user input would leak it. */
export async function compressContent(bytes: Buffer): Promise<EncodedContent> {
  const params = {
    [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
  };
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: GZIP_LEVEL }),
  ]);
  return { br, gzip: zipped, identity: bytes };
}

/** Call this before setting headers: a refusal must not carry the headers of the content. */
export function negotiateContentCoding(request: FastifyRequest, content: EncodedContent): Coding {
  const accepted = new Negotiator(request.raw).encodings([...CODINGS]);
  const coding = CODINGS.find((candidate) => accepted.includes(candidate) && content[candidate]);
  if (coding === undefined) throw new ServiceError('not_acceptable');
  return coding;
}

export function sendEncodedContent(
  reply: FastifyReply,
  content: EncodedContent,
  coding: Coding,
): FastifyReply {
  if (coding !== 'identity') reply.header('content-encoding', coding);
  const varied = [reply.getHeader('vary') ?? [], 'accept-encoding'].flat();
  return reply.header('vary', varied.join(', ')).send(content[coding]);
}
