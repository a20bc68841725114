/** Fetches a sealed file and opens it: given out only once all of it has proved genuine. */
import { UserFacingError } from '#browser/rpc/fault.ts';
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import type { DownloadedFile } from '#browser/workers/opener-jobs.ts';
import { createByteReader, createByteStream, readRemainingBytes } from '#seal/byte-stream.ts';
import type { CaseKey } from '#seal/case-key.ts';
import type { SealedPlace } from '#seal/envelope.ts';
import { openSealedFile } from '#seal/sealed-file.ts';

const LOST = {
  code: 'unreachable',
  sentence: 'The connection was lost before all of it had come. Nothing was saved: try again.',
} as const;

/** Whatever it is, a browser must save it and not show it as a page of this site. */
const TYPE = { type: 'application/octet-stream' };

export async function openFileResponse(
  key: CaseKey,
  place: SealedPlace,
  answer: Response,
  progress: ProgressCallback,
): Promise<DownloadedFile> {
  let lost = false;
  async function* readResponseBody(): AsyncGenerator<Uint8Array> {
    const total = Number(answer.headers.get('content-length'));
    let arrived = 0;
    try {
      for await (const piece of readRemainingBytes(createByteReader(answer.body ?? new Blob([]).stream()))) {
        arrived += piece.length;
        progress(Math.min(1, arrived / total));
        yield piece;
      }
    } catch (error) {
      lost = true;
      throw error;
    }
  }
  try {
    const { name, content } = await openSealedFile(key, place, createByteStream(readResponseBody()));
    // Each piece becomes the browser's own at once: it may lay them on disk instead of filling the memory.
    const pieces: Blob[] = [];
    for await (const piece of readRemainingBytes(createByteReader(content)))
      pieces.push(new Blob([piece as BlobPart]));
    return { name, content: new Blob(pieces, TYPE) };
  } catch (error) {
    throw lost ? new UserFacingError(LOST) : error;
  }
}
