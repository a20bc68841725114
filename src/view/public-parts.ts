/**
 * Marks the parts of a page that are the same for all readers, and compresses only these. Everything else is sent
 * uncompressed, so the length of a page reveals nothing about its secrets except their lengths.
 */
import { crc32, deflateRawSync, constants as zlib } from 'node:zlib';
import { Html, PART_MARKS } from './html.ts';

const { open, close } = PART_MARKS;
const ANY_MARK = new RegExp(`[${open}${close}]`, 'g');

/** Only for markup without any data of a person, a payment or a case; marked parts cannot be nested. */
export function markPublic(part: Html): Html {
  return new Html(open + part.toString() + close);
}

export function removeMarks(markup: string): string {
  return markup.replace(ANY_MARK, '');
}

/** RFC 1952: no name, no time, unknown system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
/** RFC 1951 §3.2.4: an empty block, the last one. */
const LAST_BLOCK = Buffer.from([1, 0, 0, 255, 255]);
const MAX_STORED_BYTES = 65_535;

/** Each part is compressed separately, so that nothing after a secret refers back to it. */
export function compressPublicParts(markup: string): Buffer {
  const blocks: Uint8Array[] = [GZIP_HEADER];
  // Adjacent parts are compressed together.
  const [first = '', ...rest] = markup.replaceAll(close + open, '').split(open);
  blocks.push(...storeBytes(first));
  for (const piece of rest) {
    const [shared = '', own = ''] = piece.split(close);
    blocks.push(compressOnce(shared), ...storeBytes(own));
  }
  const bytes = Buffer.from(removeMarks(markup));
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.byteLength, 4);
  return Buffer.concat([...blocks, LAST_BLOCK, trailer]);
}

/** More than all languages and services need. */
const MAX_KEPT_PARTS = 256;
const compressedParts = new Map<string, Buffer>();

function compressOnce(part: string): Buffer {
  const known = compressedParts.get(part);
  if (known) return known;
  if (compressedParts.size >= MAX_KEPT_PARTS) compressedParts.clear();
  // Ends on a byte boundary, without a final block.
  const blocks = deflateRawSync(part, { level: zlib.Z_BEST_COMPRESSION, finishFlush: zlib.Z_SYNC_FLUSH });
  compressedParts.set(part, blocks);
  return blocks;
}

/** RFC 1951 §3.2.4: blocks that are not compressed, each with its length and the complement of its length. */
function storeBytes(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const blocks: Buffer[] = [];
  for (let start = 0; start < bytes.byteLength; start += MAX_STORED_BYTES) {
    const stored = bytes.subarray(start, start + MAX_STORED_BYTES);
    const header = Buffer.alloc(5);
    header.writeUInt16LE(stored.byteLength, 1);
    header.writeUInt16LE(MAX_STORED_BYTES - stored.byteLength, 3);
    blocks.push(header, stored);
  }
  return blocks;
}
