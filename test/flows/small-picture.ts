/** Rewrites a screenshot with at most 256 colours, which is what a page of text has, in a third of the bytes. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const MAX_COLORS = 256;
const PALETTE_TYPE = 3;
const RGBA_TYPE = 6;

/** PNG 3rd edition: 8 bits for each of three or four channels, not interlaced, as browsers write it. */
export function encodeSmallPicture(picture: Buffer): Buffer {
  const chunks = [...readChunks(picture)];
  const header = chunks[0]!.data;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = header[9] === RGBA_TYPE ? 4 : 3;
  const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  const colors = readColors(inflateSync(Buffer.concat(packed)), { width, height, channels });
  const palette = pickPalette(colors);
  const rows = Buffer.alloc((width + 1) * height);
  const places = new Map(palette.map((color, index) => [color, index]));
  for (const [index, color] of colors.entries()) {
    const place = places.get(color) ?? findNearest(palette, color);
    places.set(color, place);
    rows[Math.floor(index / width) * (width + 1) + 1 + (index % width)] = place;
  }
  const small = Buffer.from(header);
  small[9] = PALETTE_TYPE;
  const table = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 0xff, color & 0xff]));
  return Buffer.concat([
    SIGNATURE,
    writeChunk('IHDR', small),
    writeChunk('PLTE', table),
    writeChunk('IDAT', deflateSync(rows, { level: 9 })),
    writeChunk('IEND', Buffer.alloc(0)),
  ]);
}

interface PixelFacts {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

function* readChunks(picture: Buffer): Generator<{ type: string; data: Buffer }> {
  for (let at = SIGNATURE.length; at < picture.length; ) {
    const size = picture.readUInt32BE(at);
    yield { type: picture.toString('latin1', at + 4, at + 8), data: picture.subarray(at + 8, at + 8 + size) };
    at += size + 12;
  }
}

function readColors(raw: Buffer, { width, height, channels }: PixelFacts): Uint32Array {
  const stride = width * channels;
  const colors = new Uint32Array(width * height);
  let above = Buffer.alloc(stride);
  for (let row = 0; row < height; row += 1) {
    const begin = row * (stride + 1);
    const line = Buffer.from(raw.subarray(begin + 1, begin + 1 + stride));
    restoreLine(line, above, raw[begin]!, channels);
    for (let column = 0; column < width; column += 1)
      colors[row * width + column] = line.readUIntBE(column * channels, 3);
    above = line;
  }
  return colors;
}

/** The five filters of PNG §9.2. */
function restoreLine(line: Buffer, above: Buffer, filter: number, channels: number): void {
  for (let at = 0; at < line.length; at += 1) {
    const [left, up] = [line[at - channels] ?? 0, above[at]!];
    const corner = above[at - channels] ?? 0;
    const guess = [0, left, up, (left + up) >> 1, computePaeth(left, up, corner)][filter]!;
    line[at] = (line[at]! + guess) & 0xff;
  }
}

function computePaeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(left + up - corner - value)) as [
    number,
    number,
    number,
  ];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function pickPalette(colors: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const frequent = [...counts].toSorted(([, one], [, other]) => other - one);
  return frequent.slice(0, MAX_COLORS).map(([color]) => color);
}

function findNearest(palette: readonly number[], color: number): number {
  const measure = (other: number) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((color >> shift) & 0xff) - ((other >> shift) & 0xff)) ** 2, 0);
  const distances = palette.map(measure);
  return distances.indexOf(Math.min(...distances));
}

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, check]);
}
