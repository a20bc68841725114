/** Opens a downloaded sealed file and returns it only after all of it is authenticated. */
import { UserFacingError } from '#browser/rpc/fault.ts';
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import type { DownloadedFile } from '#browser/workers/opener-jobs.ts';
import type { CaseFile } from '#seal/case/case-files.ts';
import { createByteReader, createByteStream, readRemainingBytes } from '#seal/core/byte-stream.ts';
import type { CaseKey } from '#seal/core/case-key.ts';
import { toArchiveName } from '#seal/files/archive-name.ts';
import { openSealedFile } from '#seal/files/sealed-file.ts';

const CONNECTION_LOST = {
  code: 'connection_lost',
} as const;

/** The browser must save the file, never show it as a page of this site. */
const BLOB_OPTIONS = { type: 'application/octet-stream' };

export async function openFileResponse(
  key: CaseKey,
  file: CaseFile,
  response: Response,
  progress: ProgressCallback,
): Promise<DownloadedFile> {
  let connectionLost = false;
  async function* readResponseBody(): AsyncGenerator<Uint8Array> {
    const total = Number(response.headers.get('content-length'));
    let received = 0;
    try {
      for await (const piece of readRemainingBytes(
        createByteReader(response.body ?? new Blob([]).stream()),
      )) {
        received += piece.length;
        progress(Math.min(1, received / total));
        yield piece;
      }
    } catch (error) {
      connectionLost = true;
      throw error;
    }
  }
  try {
    const sealed = createByteStream(readResponseBody());
    const { content } = await openSealedFile(key, { kind: file.kind, seq: file.seq }, sealed, file);
    return { name: toArchiveName(file.name), content: await collectBlob(content) };
  } catch (error) {
    throw connectionLost ? new UserFacingError(CONNECTION_LOST) : error;
  }
}

/** A Blob per piece lets the browser move the data to disk instead of filling the memory. */
export async function collectBlob(stream: ReadableStream<Uint8Array>): Promise<Blob> {
  const pieces: Blob[] = [];
  for await (const piece of readRemainingBytes(createByteReader(stream)))
    pieces.push(new Blob([piece as BlobPart]));
  return new Blob(pieces, BLOB_OPTIONS);
}
