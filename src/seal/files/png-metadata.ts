/** Strips from a PNG whatever a viewer does not need to show the same image, such as text, Exif and times. */
import { type ByteReader, READ_CHUNK_BYTES } from '../core/byte-stream.ts';
import { decodeUint32, decodeUtf8 } from '../core/bytes.ts';
import { SealError } from '../core/seal-error.ts';
import { createPartCounter } from './image-parts.ts';

const SIGNATURE_BYTES = 8;
const HEAD_BYTES = 8;
const CRC_BYTES = 4;

/** The chunks that change what is shown, and their maximum sizes: pixels, transparency, colours, density, animation. */
const VISIBLE_CHUNKS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    IHDR: 13,
    PLTE: 768,
    IDAT: Number.POSITIVE_INFINITY,
    IEND: 0,
    tRNS: 256,
    cHRM: 32,
    gAMA: 4,
    iCCP: Number.POSITIVE_INFINITY,
    sBIT: 4,
    sRGB: 1,
    cICP: 4,
    mDCV: 24,
    cLLI: 8,
    bKGD: 6,
    pHYs: 9,
    acTL: 8,
    fcTL: 26,
    fdAT: Number.POSITIVE_INFINITY,
  }),
);

/** Drops everything after the end of the image. */
export async function* stripPng(reader: ByteReader): AsyncGenerator<Uint8Array> {
  const countPart = createPartCounter();
  yield await reader.readExactly(SIGNATURE_BYTES);
  while ((await reader.peek(1)).length > 0) {
    const head = await reader.readExactly(HEAD_BYTES);
    const type = parseChunkType(head);
    const length = decodeUint32(head);
    const isKept = length <= (VISIBLE_CHUNKS.get(type) ?? -1);
    // No viewer shows an image with a critical chunk that it does not know.
    if (!isKept && isCriticalChunk(type)) throw new SealError('image_damaged');
    if (isKept) yield head;
    for (let left = length + CRC_BYTES; left > 0; ) {
      const bytes = await reader.readExactly(Math.min(left, READ_CHUNK_BYTES));
      left -= bytes.length;
      countPart(bytes.length);
      if (isKept) yield bytes;
    }
    if (type === 'IEND') return;
  }
}

function parseChunkType(head: Uint8Array): string {
  const letters = head.subarray(4);
  if (letters.every((byte) => /[A-Za-z]/.test(String.fromCodePoint(byte)))) return decodeUtf8(letters);
  throw new SealError('image_damaged');
}

/** A capital first letter marks a chunk that is needed to show the image (PNG §5.4). */
function isCriticalChunk(type: string): boolean {
  return /^[A-Z]/.test(type);
}
