/** Bytes with their compressed forms, made once, and the choice among them (RFC 9110 §12.5.3). */
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { ServiceError } from '#platform/errors.ts';

/** In the order of our own preference: what the reader merely likes better is not smaller. */
const CODINGS = ['br', 'gzip', 'identity'] as const;
const GZIP_LEVEL = 9;
/** Two below the best: a tenth of its time at the start, for a few per cent of size. */
const BROTLI_QUALITY = 9;

type Coding = (typeof CODINGS)[number];
export type EncodedContent = Readonly<Partial<Record<Coding, Buffer>> & { identity: Buffer }>;

/** For what is small and the same for everyone: compressing a secret beside a reader's own words would leak it. */
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

/** Decided before anything is written: a refusal must not carry the headers of what it refuses. */
export function negotiateContentCoding(request: FastifyRequest, coded: EncodedContent): Coding {
  const accepted = new Negotiator(request.raw).encodings([...CODINGS]);
  const coding = CODINGS.find((candidate) => accepted.includes(candidate) && coded[candidate]);
  if (coding === undefined) throw new ServiceError('not_acceptable');
  return coding;
}

export function sendEncodedContent(reply: FastifyReply, coded: EncodedContent, coding: Coding): FastifyReply {
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.header('vary', 'accept-encoding').send(coded[coding]);
}
