/** Uploads a sealed stream in pieces, a few at a time, without buffering more than those. */
import { base64urlnopad } from '@scure/base';
import { sendRequestWithRetry } from '#browser/rpc/service-requests.ts';
import { createByteReader } from '#seal/byte-stream.ts';
import { FORM_TOKEN_HEADER, INQUIRY_UPLOADS_PATH } from '#wire/inquiry-page.ts';
import type { UploadedPart } from '#wire/inquiry-requests.ts';

/** The size of every piece but the last. */
const PIECE_BYTES = 256 * 1024;
const MAX_IN_FLIGHT = 3;
const ID_BYTES = 16;

interface UploadOptions {
  /** The form token. */
  readonly token: string;
  readonly onUploaded: (bytes: number) => void;
}

export async function uploadInPieces(
  sealed: ReadableStream<Uint8Array>,
  options: UploadOptions,
): Promise<UploadedPart> {
  const id = base64urlnopad.encode(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
  const reader = createByteReader(sealed);
  const abort = new AbortController();
  const inFlight = new Set<Promise<void>>();
  let size = 0;
  try {
    for (let index = 0; ; index += 1) {
      const { length } = await reader.peek(PIECE_BYTES);
      if (length === 0) break;
      const piece = await reader.readExactly(length);
      size += length;
      const sending = sendPiece(`${INQUIRY_UPLOADS_PATH}/${id}/${index}`, piece, options, abort.signal).then(
        () => void inFlight.delete(sending),
      );
      // A failed piece stays in the set, so that the next wait for the set rejects.
      sending.catch(() => undefined);
      inFlight.add(sending);
      if (inFlight.size === MAX_IN_FLIGHT) await Promise.race(inFlight);
    }
    await Promise.all(inFlight);
    return { upload: id, size };
  } catch (error) {
    abort.abort(error);
    await Promise.allSettled(inFlight);
    await reader.release();
    throw error;
  }
}

async function sendPiece(
  path: string,
  body: Uint8Array,
  { token, onUploaded }: UploadOptions,
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream', [FORM_TOKEN_HEADER]: token };
  await sendRequestWithRetry(path, { method: 'PUT', headers, body, signal });
  onUploaded(body.length);
}
