/** Sends what is sealed in pieces, a few at a time, and never holds more of it than those. */
import { base64urlnopad } from '@scure/base';
import { sendRequestWithRetry } from '#browser/rpc/service-requests.ts';
import { createByteReader } from '#seal/byte-stream.ts';
import { FORM_TOKEN_HEADER, INQUIRY_UPLOADS_PATH } from '#wire/inquiry-page.ts';
import type { UploadedPart } from '#wire/inquiry-requests.ts';

/** Every piece but the last has exactly so many bytes. */
const PIECE_BYTES = 256 * 1024;
const AT_ONCE = 3;
const ID_BYTES = 16;

interface Way {
  /** Shows the service that the form is its own. */
  readonly token: string;
  readonly arrived: (bytes: number) => void;
}

export async function uploadInPieces(sealed: ReadableStream<Uint8Array>, way: Way): Promise<UploadedPart> {
  const id = base64urlnopad.encode(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
  const reader = createByteReader(sealed);
  const stop = new AbortController();
  const onTheWay = new Set<Promise<void>>();
  let size = 0;
  try {
    for (let index = 0; ; index += 1) {
      const { length } = await reader.peek(PIECE_BYTES);
      if (length === 0) break;
      const piece = await reader.readExactly(length);
      size += length;
      const sending = sendPiece(`${INQUIRY_UPLOADS_PATH}/${id}/${index}`, piece, way, stop.signal).then(
        () => void onTheWay.delete(sending),
      );
      // One that failed stays on the way until the next look at all of them.
      sending.catch(() => undefined);
      onTheWay.add(sending);
      if (onTheWay.size === AT_ONCE) await Promise.race(onTheWay);
    }
    await Promise.all(onTheWay);
    return { upload: id, size };
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(onTheWay);
    await reader.release();
    throw error;
  }
}

async function sendPiece(
  path: string,
  body: Uint8Array,
  { token, arrived }: Way,
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream', [FORM_TOKEN_HEADER]: token };
  await sendRequestWithRetry(path, { method: 'PUT', headers, body, signal });
  arrived(body.length);
}
