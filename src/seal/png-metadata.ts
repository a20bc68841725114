/** PNG without text, Exif, times and whatever else a viewer does not need to show the same picture. */
import { type ByteReader, READ_CHUNK_BYTES } from './byte-stream.ts';
import { decodeUint32, decodeUtf8 } from './bytes.ts';
import { SealError } from './seal-error.ts';

const SIGNATURE_BYTES = 8;
const HEAD_BYTES = 8;
const CRC_BYTES = 4;

/** Transparency, colours, density and animation: the optional chunks that change what is seen. */
const SEEN = new Set(
  'tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' '),
);

/** What follows the end of the picture is left out. */
export async function* stripPng(reader: ByteReader): AsyncGenerator<Uint8Array> {
  yield await reader.readExactly(SIGNATURE_BYTES);
  while ((await reader.peek(1)).length > 0) {
    const head = await reader.readExactly(HEAD_BYTES);
    const type = parseChunkType(head);
    const kept = isCriticalChunk(type) || SEEN.has(type);
    if (kept) yield head;
    for (let left = decodeUint32(head) + CRC_BYTES; left > 0; ) {
      const piece = await reader.readExactly(Math.min(left, READ_CHUNK_BYTES));
      left -= piece.length;
      if (kept) yield piece;
    }
    if (type === 'IEND') return;
  }
}

function parseChunkType(head: Uint8Array): string {
  const letters = head.subarray(4);
  if (letters.every((byte) => /[A-Za-z]/.test(String.fromCodePoint(byte)))) return decodeUtf8(letters);
  throw new SealError('image_damaged');
}

/** A capital first letter: nothing can be shown without it (PNG §5.4). */
function isCriticalChunk(type: string): boolean {
  return /^[A-Z]/.test(type);
}
