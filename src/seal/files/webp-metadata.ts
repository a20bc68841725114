/** Blanks Exif, XMP and unknown parts of a WebP in place, because the container states its length up front. */
import { type ByteReader, READ_CHUNK_BYTES } from '../core/byte-stream.ts';
import { encodeUtf8, hasPrefix, joinBytes } from '../core/bytes.ts';
import { SealError } from '../core/seal-error.ts';
import {
  createPartCounter,
  encodeOrientation,
  findOrientation,
  type PartCounter,
  UPRIGHT,
} from './image-parts.ts';

/** “RIFF”, the length of what follows it, “WEBP”. */
export const WEBP_START_BYTES = 12;
const HEAD_BYTES = 8;
const RIFF = encodeUtf8('RIFF');
const WEBP = encodeUtf8('WEBP');
/** Readers skip chunks whose name they do not know (RFC 9649 §2.7.1.6). */
const BLANK = encodeUtf8('JUNK');

/** The header of an animation frame, before the frame's chunks. */
const FRAME_HEAD_BYTES = 16;
/** Flags, reserved, width and height. */
const IMAGE_FACTS_BYTES = 10;
const FLAGS_BYTES = 1;
const RESERVED_BYTES = 3;
const XMP_FLAG = 0x04;
const EXIF_PREFIX = encodeUtf8('Exif\0\0');
/** How far into Exif data to look for its first directory. */
const EXIF_SEARCH_BYTES = READ_CHUNK_BYTES;

/** What viewers need to show the same image: pixels, transparency, animation, colours. */
const VISIBLE_CHUNKS = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ICCP']);

export function isWebpStart(start: Uint8Array): boolean {
  return hasPrefix(start, RIFF) && hasPrefix(start.subarray(HEAD_BYTES), WEBP);
}

/** Drops everything after the end of the image. */
export async function* stripWebp(reader: ByteReader): AsyncGenerator<Uint8Array> {
  const start = await reader.readExactly(WEBP_START_BYTES);
  const length = readLength(start) - WEBP.length;
  if (length < HEAD_BYTES) throw new SealError('image_damaged');
  yield start;
  yield* stripChunks(reader, length, { countPart: createPartCounter(), inFrame: false });
}

interface ChunkContext {
  readonly countPart: PartCounter;
  /** A frame contains chunks, but no further frames. */
  readonly inFrame: boolean;
}

async function* stripChunks(
  reader: ByteReader,
  length: number,
  context: ChunkContext,
): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0; ) {
    if (left < HEAD_BYTES) throw new SealError('image_damaged');
    const head = await reader.readExactly(HEAD_BYTES);
    left -= HEAD_BYTES;
    const size = readLength(head);
    if (size > left) throw new SealError('image_damaged');
    // A chunk of odd size is followed by a padding byte, which the last one may lack.
    const padded = Math.min(size + (size % 2), left);
    yield* stripChunk(reader, head, padded, context);
    left -= padded;
  }
}

async function* stripChunk(
  reader: ByteReader,
  head: Uint8Array,
  length: number,
  { countPart, inFrame }: ChunkContext,
): AsyncGenerator<Uint8Array> {
  const type = String.fromCodePoint(...head.subarray(0, BLANK.length));
  if (type === 'ANMF' && !inFrame && length >= FRAME_HEAD_BYTES) {
    countPart(FRAME_HEAD_BYTES);
    yield joinBytes(head, await reader.readExactly(FRAME_HEAD_BYTES));
    return yield* stripChunks(reader, length - FRAME_HEAD_BYTES, { countPart, inFrame: true });
  }
  countPart(length);
  if (VISIBLE_CHUNKS.has(type)) {
    yield head;
    return yield* readBytes(reader, length);
  }
  const kept = await readKeptStart(reader, type, length);
  yield kept.length > 0 ? joinBytes(head, kept) : joinBytes(BLANK, head.subarray(BLANK.length));
  for await (const bytes of readBytes(reader, length - kept.length)) yield new Uint8Array(bytes.length);
}

/** The bytes that are kept of a blanked chunk; none for most chunks. */
async function readKeptStart(reader: ByteReader, type: string, length: number): Promise<Uint8Array> {
  if (type === 'VP8X') return await readImageFacts(reader, length);
  const exif = encodeOrientation(UPRIGHT);
  if (type !== 'EXIF' || length < exif.length) return new Uint8Array();
  const found = await reader.peek(Math.min(length, EXIF_SEARCH_BYTES));
  const tiff = hasPrefix(found, EXIF_PREFIX) ? found.subarray(EXIF_PREFIX.length) : found;
  const orientation = findOrientation(tiff) ?? UPRIGHT;
  await reader.readExactly(exif.length);
  return encodeOrientation(orientation);
}

/** The parts that the image has, and its size. */
async function readImageFacts(reader: ByteReader, length: number): Promise<Uint8Array> {
  const bytes = Uint8Array.from(await reader.readExactly(Math.min(length, IMAGE_FACTS_BYTES)));
  bytes.set([(bytes[0] ?? 0) & ~XMP_FLAG].slice(0, bytes.length));
  bytes.fill(0, FLAGS_BYTES, FLAGS_BYTES + RESERVED_BYTES);
  return bytes;
}

async function* readBytes(reader: ByteReader, length: number): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0; ) {
    const bytes = await reader.readExactly(Math.min(left, READ_CHUNK_BYTES));
    left -= bytes.length;
    yield bytes;
  }
}

/** Little-endian, at the same place in every chunk. */
function readLength(head: Uint8Array): number {
  return new DataView(head.buffer, head.byteOffset).getUint32(BLANK.length, true);
}
