/** Sends a file that was opened in memory: always a download, never rendered on the site. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { toArchiveName } from '#seal/files/archive-name.ts';
import { OCTET_STREAM } from './byte-body.ts';

interface OpenedFile {
  readonly name: string;
  readonly content: ReadableStream<Uint8Array>;
}

/** If the file is damaged, the download is aborted. */
export function sendOpenedFile(reply: FastifyReply, { name, content }: OpenedFile): FastifyReply {
  return reply
    .type(OCTET_STREAM)
    .header('content-disposition', `attachment; filename*=UTF-8''${encodeRfc8187(toArchiveName(name))}`)
    .send(Readable.fromWeb(content));
}

/** RFC 8187 §3.2.1. Names that were sealed elsewhere may contain lone surrogates. */
export function encodeRfc8187(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}
