/** Strips what cameras and editors add to a JPEG: location, time, owner, device, comments, previews. */
import { type ByteReader, READ_CHUNK_BYTES } from './byte-stream.ts';
import { encodeUtf8, hasPrefix, joinBytes } from './bytes.ts';
import { encodeOrientation, findOrientation, UPRIGHT } from './exif-orientation.ts';
import { createPartCounter, type PartCounter } from './image-parts.ts';
import { SealError } from './seal-error.ts';

const SOI_BYTES = 2;

const MARKER = 0xff;
const STUFFED = 0x00;
const TEM = 0x01;
const EOI = 0xd9;
const SOS = 0xda;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;
const COM = 0xfe;

const EXIF = encodeUtf8('Exif\0\0');
const JFIF = encodeUtf8('JFIF\0');
const ICC = encodeUtf8('ICC_PROFILE\0');
const ADOBE = encodeUtf8('Adobe');
const JFIF_BYTES = 14;
const ADOBE_BYTES = 12;

/** Drops everything after the end of the image, such as more images, a video or maker notes. */
export async function* stripJpeg(reader: ByteReader): AsyncGenerator<Uint8Array> {
  const countPart = createPartCounter();
  yield await reader.readExactly(SOI_BYTES);
  while ((await reader.peek(1)).length > 0) {
    const code = await readMarker(reader, countPart);
    if (code === EOI || code === TEM || isRestartMarker(code)) yield Uint8Array.of(MARKER, code);
    else yield* filterSegment(code, await readSegment(reader, countPart));
    if (code === EOI) return;
    if (code === SOS) yield* readScan(reader, countPart);
  }
}

async function readMarker(reader: ByteReader, countPart: PartCounter): Promise<number> {
  let byte = await readByte(reader);
  if (byte !== MARKER) throw new SealError('image_damaged');
  // A marker may be preceded by any number of 0xff.
  while (byte === MARKER) {
    countPart(0);
    byte = await readByte(reader);
  }
  if (byte === STUFFED) throw new SealError('image_damaged');
  return byte;
}

async function readByte(reader: ByteReader): Promise<number> {
  return (await reader.readExactly(1))[0]!;
}

async function readSegment(reader: ByteReader, countPart: PartCounter): Promise<Uint8Array> {
  const [high, low] = await reader.readExactly(2);
  const length = high! * 256 + low!;
  // The length counts its own two bytes.
  if (length < 2) throw new SealError('image_damaged');
  countPart(length);
  return await reader.readExactly(length - 2);
}

function* filterSegment(code: number, payload: Uint8Array): Generator<Uint8Array> {
  const output =
    code === COM ? null : code < APP0 || code > APP15 ? payload : filterApplicationData(code, payload);
  if (output === null) return;
  const length = output.length + 2;
  yield joinBytes(Uint8Array.of(MARKER, code, length >> 8, length & 255), output);
}

/** Keeps only what a viewer needs to show the same image: density, colours, orientation. */
function filterApplicationData(code: number, payload: Uint8Array): Uint8Array | null {
  if (code === APP0 && hasPrefix(payload, JFIF)) return removePreview(payload);
  if (code === APP1 && hasPrefix(payload, EXIF)) return reduceToOrientation(payload.subarray(EXIF.length));
  if (code === APP2 && hasPrefix(payload, ICC)) return payload;
  if (code === APP14 && hasPrefix(payload, ADOBE)) return payload.subarray(0, ADOBE_BYTES);
  return null;
}

/** The last two bytes of the fixed part are the size of the preview that follows. */
function removePreview(payload: Uint8Array): Uint8Array | null {
  if (payload.length < JFIF_BYTES) return null;
  return joinBytes(payload.subarray(0, JFIF_BYTES - 2), Uint8Array.of(0, 0));
}

function reduceToOrientation(tiff: Uint8Array): Uint8Array | null {
  const orientation = findOrientation(tiff);
  if (orientation === null || orientation === UPRIGHT) return null;
  return joinBytes(EXIF, encodeOrientation(orientation));
}

/** Compressed data up to the next marker; 0xff inside it is followed by zero or a restart marker. */
async function* readScan(reader: ByteReader, countPart: PartCounter): AsyncGenerator<Uint8Array> {
  for (;;) {
    const end = findScanEnd(await reader.peek(READ_CHUNK_BYTES));
    if (end === 0) break;
    countPart(end);
    yield await reader.readExactly(end);
  }
  // A lone 0xff at the end of a truncated file is not a marker.
  if ((await reader.peek(2)).length === 1) await reader.readExactly(1);
}

function findScanEnd(bytes: Uint8Array): number {
  let at = bytes.indexOf(MARKER);
  while (at >= 0 && at + 1 < bytes.length) {
    const next = bytes[at + 1]!;
    if (next !== STUFFED && !isRestartMarker(next)) return at;
    at = bytes.indexOf(MARKER, at + 2);
  }
  return at < 0 ? bytes.length : at;
}

function isRestartMarker(code: number): boolean {
  return code >= 0xd0 && code <= 0xd7;
}
