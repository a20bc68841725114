/** Keeps what decoding a JPEG needs; drops what cameras and editors add: location, time, owner, device, previews. */
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

const SOI_BYTES = 2;

const MARKER = 0xff;
const STUFFED = 0x00;
const SOF0 = 0xc0;
const DHT = 0xc4;
const JPG = 0xc8;
const DAC = 0xcc;
const SOF15 = 0xcf;
const DQT = 0xdb;
const DNL = 0xdc;
const DRI = 0xdd;
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
const TABLE_BITS = 0x13;
/** Two for each of the eight tables. */
const DAC_BYTES = 16;

/** Drops everything after the end of the image, such as more images, a video or maker notes. */
export async function* stripJpeg(reader: ByteReader): AsyncGenerator<Uint8Array> {
  const countPart = createPartCounter();
  yield await reader.readExactly(SOI_BYTES);
  while ((await reader.peek(1)).length > 0) {
    const code = await readMarker(reader, countPart);
    if (code === EOI) return yield Uint8Array.of(MARKER, code);
    yield* filterSegment(code, await readSegment(reader, countPart));
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
  if (code === COM) return;
  const isApplicationData = code >= APP0 && code <= APP15;
  if (!isApplicationData && !isDecodable(code, payload)) throw new SealError('image_damaged');
  const output = isApplicationData ? filterApplicationData(code, payload) : payload;
  if (output === null) return;
  const length = output.length + 2;
  yield joinBytes(Uint8Array.of(MARKER, code, length >> 8, length & 255), output);
}

/** Whether decoders know the segment and read all of it: anything could hide in others or after its end (T.81 §B.2). */
function isDecodable(code: number, payload: Uint8Array): boolean {
  if (code === DRI || code === DNL) return payload.length === 2;
  if (code === SOS) return payload.length === 4 + 2 * payload[0]!;
  if (code === DAC) return payload.length <= DAC_BYTES && isListOf(payload, () => 2);
  if (code === DQT) return isListOf(payload, (at) => 1 + 64 * (1 + (payload[at]! >> 4)));
  if (code === DHT)
    return isListOf(payload, (at) =>
      payload.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 17),
    );
  const isFrame = code >= SOF0 && code <= SOF15 && code !== JPG;
  return isFrame && payload.length === 6 + 3 * (payload[5] ?? 0);
}

/** Whether tables of these sizes fill the payload; each begins with one of two kinds and one of four places. */
function isListOf(payload: Uint8Array, computeSize: (at: number) => number): boolean {
  let at = 0;
  while (at < payload.length && (payload[at]! & ~TABLE_BITS) === 0) at += computeSize(at);
  return at === payload.length;
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
