import assert from 'node:assert/strict';
import test from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { stripImageMetadata } from './image-metadata.ts';

const SOI = [0xff, 0xd8];
const EOI = [0xff, 0xd9];
const PNG = [0x89, ...toBytes('PNG\r\n\x1a\n')];
const JFIF = buildSegment(0xe0, 'JFIF\0\x01\x02\x01\0\x48\0\x48\0\0');
const TABLE = buildSegment(0xdb, '\0'.repeat(65));
const FRAME = buildSegment(0xc0, '\x08\0\x01\0\x01\x01\x01\x11\0');
const HUFFMAN = buildSegment(0xc4, `\0\x02${'\0'.repeat(15)}\x05\x06`);
const RESTARTS = buildSegment(0xdd, '\0\x04');
const LINES = buildSegment(0xdc, '\0\x01');
const SCAN_HEAD = buildSegment(0xda, '\x01\x01\0\0\x3f\0');
const SCAN = [...SCAN_HEAD, 0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56];
const ICC = buildSegment(0xe2, 'ICC_PROFILE\0\x01\x01profile');
const ADOBE = buildSegment(0xee, 'Adobe\0\x64\0\0\0\0\x01');
const SECRET = 'SECRET PLACE';

/** A TIFF directory with a maker and, unless null, an orientation. */
function buildExif(orientation: number | null, littleEndian: boolean): number[] {
  const encodeNumber = (value: number, width: number) => {
    const digits = Array.from({ length: width }, (_, index) => (value >> (8 * (width - 1 - index))) & 255);
    return littleEndian ? digits.toReversed() : digits;
  };
  const encodeEntry = (tag: number, type: number, value: number[]) => [
    ...encodeNumber(tag, 2),
    ...encodeNumber(type, 2),
    ...encodeNumber(1, 4),
    ...value,
  ];
  const entries = [encodeEntry(0x010f, 2, [65, 0, 0, 0])];
  if (orientation !== null) entries.push(encodeEntry(0x0112, 3, [...encodeNumber(orientation, 2), 0, 0]));
  const tiff = [
    ...toBytes(littleEndian ? 'II' : 'MM'),
    ...encodeNumber(42, 2),
    ...encodeNumber(8, 4),
    ...encodeNumber(entries.length, 2),
    ...entries.flat(),
  ];
  return buildSegment(0xe1, [...toBytes('Exif\0\0'), ...tiff, ...encodeNumber(0, 4), ...toBytes(SECRET)]);
}

const hidden = [
  buildSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${SECRET}`),
  buildSegment(0xed, `Photoshop 3.0\0${SECRET}`),
  buildSegment(0xe2, `MPF\0${SECRET}`),
  buildSegment(0xe0, `JFXX\0${SECRET}`),
  buildSegment(0xfe, SECRET),
  buildSegment(0xe5, SECRET),
].flat();

const buildJpeg = (...segments: number[][]) => [...SOI, ...segments.flat(), ...EOI];

test('a JPEG keeps its image and loses everything else', async () => {
  const picture = [TABLE, ICC, ADOBE, FRAME, SCAN];
  const file = [...buildJpeg(JFIF, buildExif(null, true), hidden, ...picture), ...toBytes(SECRET)];
  const { image, stripped } = await stripFile(file);
  assert.equal(image, 'jpeg');
  assert.deepEqual(stripped, buildJpeg(JFIF, ...picture));
});

test('metadata between the scans of a progressive JPEG is removed too', async () => {
  const { stripped } = await stripFile(buildJpeg(TABLE, SCAN, hidden, [0xff], TABLE, SCAN));
  assert.deepEqual(stripped, buildJpeg(TABLE, SCAN, TABLE, SCAN));
});

test('a preview in the JFIF header is removed', async () => {
  const preview = buildSegment(0xe0, 'JFIF\0\x01\x02\x01\0\x48\0\x48\x01\x01RGB');
  const { stripped } = await stripFile(buildJpeg(preview, SCAN));
  assert.deepEqual(stripped, buildJpeg(JFIF, SCAN));
});

test('of Exif only the orientation remains, and only if it is not the default', async () => {
  for (const littleEndian of [true, false]) {
    const strip = async (orientation: number | null) =>
      (await stripFile(buildJpeg(buildExif(orientation, littleEndian), SCAN))).stripped;
    for (const orientation of [2, 3, 6, 8]) {
      const stripped = await strip(orientation);
      const start = toBytes('Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0');
      const exif = buildSegment(0xe1, [...start, orientation, ...toBytes('\0'.repeat(6))]);
      assert.deepEqual(stripped, buildJpeg(exif, SCAN));
      assert.deepEqual((await stripFile(stripped)).stripped, stripped);
    }
    for (const orientation of [null, 0, 1, 9]) assert.deepEqual(await strip(orientation), buildJpeg(SCAN));
  }
});

test('a JPEG truncated in its image data passes; one damaged before it is refused', async () => {
  const truncated = [...SOI, ...TABLE, ...SCAN];
  for (const end of [[], [0xff]])
    assert.deepEqual((await stripFile([...truncated, ...end])).stripped, truncated);
  const exif = buildExif(6, true).slice(0, 9);
  for (const rest of [TABLE.slice(0, -1), [0xff, 0xdb, 0, 1], [...TABLE, 7], [0xff, 0x00], exif])
    await assert.rejects(stripFile([...SOI, ...rest]), { code: 'image_damaged' });
});

test('a JPEG with a segment that no decoder knows, or that goes on after its end, is refused', async () => {
  const known = [0xc4, 0xcc, 0xda, 0xdb, 0xdc, 0xdd, 0xfe];
  const isKnown = (code: number) =>
    known.includes(code) || (code >= 0xc0 && code <= 0xcf && code !== 0xc8) || (code >= 0xe0 && code <= 0xef);
  const buildPicture = (segment: number[]) => buildJpeg(segment, TABLE, FRAME, SCAN);
  for (let code = 1; code < 0xff; code += 1) {
    const file = buildPicture(buildSegment(code, SECRET));
    const result = await stripFile(file).catch((error: { code: string }) => error.code);
    const text = typeof result === 'string' ? result : Buffer.from(result.stripped).toString('latin1');
    // 0xd9 ends the image early, which is not damage.
    if (code !== 0xd9 && !isKnown(code)) assert.equal(result, 'image_damaged', code.toString(16));
    assert.ok(!text.includes(SECRET), code.toString(16));
  }
  for (const segment of [TABLE, FRAME, HUFFMAN, RESTARTS, LINES, SCAN_HEAD])
    await assert.rejects(
      stripFile(buildPicture(buildSegment(segment[1]!, [...segment.slice(4), ...toBytes('AB')]))),
      { code: 'image_damaged' },
    );
});

test('every segment that decoding needs is kept, in tables of one or of several', async () => {
  const tables = buildSegment(0xdb, `\x10${'\x01'.repeat(128)}\x01${'\x02'.repeat(64)}`);
  const frame = buildSegment(0xc2, '\x08\0\x01\0\x01\x03\x01\x22\0\x02\x11\x01\x03\x11\x01');
  const arithmetic = buildSegment(0xcc, '\0\x10\x11\x01');
  const scans = [HUFFMAN, arithmetic, SCAN, HUFFMAN, SCAN];
  const file = buildJpeg(tables, RESTARTS, frame, ...scans, LINES);
  assert.deepEqual((await stripFile(file)).stripped, file);
});

test('a PNG with an unknown critical chunk, or a text in a known one, is refused', async () => {
  const start = [...PNG, ...buildChunk('IHDR', 'x'.repeat(13))];
  for (const [type, text] of [
    ['CgBI', '1234'],
    ['ABCD', SECRET],
    ['IHDR', `${'x'.repeat(13)}${SECRET}`],
    ['PLTE', SECRET.repeat(100)],
    ['IEND', SECRET],
  ] as const)
    await assert.rejects(stripFile([...start, ...buildChunk(type, text)]), { code: 'image_damaged' }, type);
  const end = [...buildChunk('IDAT', 'pixels'), ...buildChunk('IEND', '')];
  for (const type of ['gAMA', 'pHYs', 'sRGB', 'sPLT', 'hIST', 'cHRM']) {
    const { stripped } = await stripFile([...start, ...buildChunk(type, SECRET.repeat(4)), ...end]);
    assert.deepEqual(stripped, [...start, ...end], type);
  }
});

test('a PNG keeps its visible chunks and loses text, Exif, times and unknown chunks', async () => {
  const [head, end] = [buildChunk('IHDR', 'x'.repeat(13)), buildChunk('IEND', '')];
  const picture = [...buildChunk('gAMA', '1234'), ...buildChunk('IDAT', 'pixels')];
  const types = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME', 'caBX', 'prVt'];
  const removed = types.flatMap((type) => buildChunk(type, SECRET));
  const file = [PNG, head, removed, picture, removed, end, toBytes(SECRET)].flat();
  const { image, stripped } = await stripFile(file);
  assert.equal(image, 'png');
  assert.deepEqual(stripped, [PNG, head, picture, end].flat());
  for (const damaged of [file.slice(0, 60), [...PNG, ...buildChunk('1234', '')]])
    await assert.rejects(stripFile(damaged), { code: 'image_damaged' });
});

test('an image of very many tiny parts is refused; one with many parts of a usual size is not', async () => {
  const repeat = (part: number[], times: number) => Array.from({ length: times }, () => part).flat();
  assert.equal((await stripFile([...PNG, ...repeat(buildChunk('IDAT', 'x'), 900)])).image, 'png');
  for (const parts of [
    [...PNG, ...repeat(buildChunk('IDAT', ''), 10_000)],
    [...PNG, ...repeat(buildChunk('tEXt', ''), 10_000)],
    [...SOI, ...repeat([0xff], 10_000)],
    [...SOI, ...repeat(buildSegment(0xfe, ''), 10_000)],
    [...SOI, ...repeat([0xff, 0xd0], 10_000)],
    [...SOI, ...repeat(buildSegment(0xda, ''), 10_000)],
  ])
    await assert.rejects(stripFile(parts), { code: 'image_damaged' });
  const usual = buildChunk('IDAT', 'x'.repeat(8_192));
  const { stripped } = await stripFile([...PNG, ...repeat(usual, 300)]);
  assert.equal(stripped.length, PNG.length + 300 * usual.length);
});

test('other files pass unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(255)), async (file) => {
      fc.pre(!(file[0] === 0xff && file[1] === 0xd8 && file[2] === 0xff));
      assert.deepEqual(await stripFile(file), { image: null, stripped: file });
    }),
    { numRuns: 50 },
  );
  const wave = toBytes('RIFF\0\0\0\0WAVEfmt ');
  assert.deepEqual(await stripFile(wave), { image: null, stripped: wave });
});

test('however a JPEG is split into chunks, all metadata is removed', async () => {
  const file = buildJpeg(JFIF, buildExif(6, true), hidden, TABLE, SCAN, hidden, SCAN);
  const whole = await stripFile(file);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (step) => {
      assert.deepEqual(await stripFile(file, step), whole);
    }),
    { numRuns: 20 },
  );
  assert.ok(!Buffer.from(whole.stripped).includes(SECRET));
});

async function stripFile(
  file: readonly number[],
  step = 1000,
): Promise<{ image: string | null; stripped: number[] }> {
  const pieces = Array.from({ length: Math.ceil(file.length / step) }, (_, index) =>
    Uint8Array.from(file.slice(index * step, (index + 1) * step)),
  );
  const { image, content } = await stripImageMetadata(ReadableStream.from(pieces));
  return { image, stripped: Array.from(Buffer.concat(await Array.fromAsync(content))) };
}

function toBytes(text: string): number[] {
  return [...Buffer.from(text, 'latin1')];
}

function buildSegment(code: number, payload: string | number[]): number[] {
  const body = typeof payload === 'string' ? toBytes(payload) : payload;
  return [0xff, code, (body.length + 2) >> 8, (body.length + 2) & 255, ...body];
}

function buildChunk(type: string, data: string): number[] {
  const body = Buffer.from(`${type}${data}`, 'latin1');
  const number = Buffer.alloc(8);
  number.writeUInt32BE(data.length, 0);
  number.writeUInt32BE(crc32(body), 4);
  return [...number.subarray(0, 4), ...body, ...number.subarray(4)];
}
