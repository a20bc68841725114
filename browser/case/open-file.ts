/** Fetches a sealed file and opens it: given out only once all of it has proved genuine. */
import { Fault } from '#browser/rpc/fault.ts';
import type { Progress } from '#browser/rpc/jobs.ts';
import type { SavedFile } from '#browser/workers/opener-jobs.ts';
import { byteReader, restOf, streamFrom } from '#seal/byte-stream.ts';
import type { CaseKey } from '#seal/case-key.ts';
import type { Place } from '#seal/envelope.ts';
import { openFile } from '#seal/sealed-file.ts';

const LOST = {
  code: 'unreachable',
  sentence: 'The connection was lost before all of it had come. Nothing was saved: try again.',
} as const;

/** Whatever it is, a browser must save it and not show it as a page of this site. */
const TYPE = { type: 'application/octet-stream' };

export async function openArriving(
  key: CaseKey,
  place: Place,
  answer: Response,
  progress: Progress,
): Promise<SavedFile> {
  let lost = false;
  async function* arriving(): AsyncGenerator<Uint8Array> {
    const total = Number(answer.headers.get('content-length'));
    let arrived = 0;
    try {
      for await (const piece of restOf(byteReader(answer.body ?? new Blob([]).stream()))) {
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
    const { name, content } = await openFile(key, place, streamFrom(arriving()));
    // Each piece becomes the browser's own at once: it may lay them on disk instead of filling the memory.
    const pieces: Blob[] = [];
    for await (const piece of restOf(byteReader(content))) pieces.push(new Blob([piece as BlobPart]));
    return { name, content: new Blob(pieces, TYPE) };
  } catch (error) {
    throw lost ? new Fault(LOST) : error;
  }
}
