import assert from 'node:assert/strict';
import test from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { stripImageMetadata } from './image-metadata.ts';

const SOI = [0xff, 0xd8];
const EOI = [0xff, 0xd9];
const JFIF = segment(0xe0, 'JFIF\0\x01\x02\x01\0\x48\0\x48\0\0');
const TABLE = segment(0xdb, '\0'.repeat(65));
const FRAME = segment(0xc0, '\x08\0\x01\0\x01\x01\x01\x11\0');
const SCAN = [...segment(0xda, '\x01\x01\0\0\x3f\0'), 0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56];
const ICC = segment(0xe2, 'ICC_PROFILE\0\x01\x01profile');
const ADOBE = segment(0xee, 'Adobe\0\x64\0\0\0\0\x01');
const SECRET = 'SECRET PLACE';

/** A TIFF directory with a maker and, where given, an orientation. */
function exif(orientation: number | null, little: boolean): number[] {
  const number = (value: number, width: number) => {
    const digits = Array.from({ length: width }, (_, index) => (value >> (8 * (width - 1 - index))) & 255);
    return little ? digits.toReversed() : digits;
  };
  const entry = (tag: number, type: number, value: number[]) => [
    ...number(tag, 2),
    ...number(type, 2),
    ...number(1, 4),
    ...value,
  ];
  const entries = [entry(0x010f, 2, [65, 0, 0, 0])];
  if (orientation !== null) entries.push(entry(0x0112, 3, [...number(orientation, 2), 0, 0]));
  const tiff = [
    ...bytes(little ? 'II' : 'MM'),
    ...number(42, 2),
    ...number(8, 4),
    ...number(entries.length, 2),
    ...entries.flat(),
  ];
  return segment(0xe1, [...bytes('Exif\0\0'), ...tiff, ...number(0, 4), ...bytes(SECRET)]);
}

const hidden = [
  segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${SECRET}`),
  segment(0xed, `Photoshop 3.0\0${SECRET}`),
  segment(0xe2, `MPF\0${SECRET}`),
  segment(0xe0, `JFXX\0${SECRET}`),
  segment(0xfe, SECRET),
  segment(0xe5, SECRET),
];

test('a JPEG keeps its picture and loses everything else', async () => {
  const picture = [...TABLE, ...ICC, ...ADOBE, ...FRAME, ...SCAN];
  const file = [...SOI, ...JFIF, ...exif(null, true), ...hidden.flat(), ...picture, ...EOI, ...bytes(SECRET)];
  const { image, stripped } = await strip(file);
  assert.equal(image, 'jpeg');
  assert.deepEqual(stripped, [...SOI, ...JFIF, ...picture, ...EOI]);
});

test('what stands between the scans of a progressive JPEG is looked at too', async () => {
  const { stripped } = await strip([
    ...SOI,
    ...TABLE,
    ...SCAN,
    ...hidden.flat(),
    0xff,
    ...TABLE,
    ...SCAN,
    ...EOI,
  ]);
  assert.deepEqual(stripped, [...SOI, ...TABLE, ...SCAN, ...TABLE, ...SCAN, ...EOI]);
});

test('a preview inside the JFIF header is taken out', async () => {
  const { stripped } = await strip([
    ...SOI,
    ...segment(0xe0, 'JFIF\0\x01\x02\x01\0\x48\0\x48\x01\x01RGB'),
    ...SCAN,
    ...EOI,
  ]);
  assert.deepEqual(stripped, [...SOI, ...JFIF, ...SCAN, ...EOI]);
});

test('of Exif only the side that is up remains, and only where it is not the usual one', async () => {
  for (const little of [true, false]) {
    for (const orientation of [2, 3, 6, 8]) {
      const { stripped } = await strip([...SOI, ...exif(orientation, little), ...SCAN, ...EOI]);
      const kept = segment(0xe1, [
        ...bytes('Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0'),
        orientation,
        0,
        0,
        0,
        0,
        0,
        0,
      ]);
      assert.deepEqual(stripped, [...SOI, ...kept, ...SCAN, ...EOI]);
      assert.deepEqual((await strip(stripped)).stripped, stripped);
    }
    for (const orientation of [null, 0, 1, 9]) {
      const { stripped } = await strip([...SOI, ...exif(orientation, little), ...SCAN, ...EOI]);
      assert.deepEqual(stripped, [...SOI, ...SCAN, ...EOI]);
    }
  }
});

test('a JPEG that was cut in its picture passes, one that is broken before it does not', async () => {
  assert.deepEqual((await strip([...SOI, ...TABLE, ...SCAN])).stripped, [...SOI, ...TABLE, ...SCAN]);
  assert.deepEqual((await strip([...SOI, ...TABLE, ...SCAN, 0xff])).stripped, [...SOI, ...TABLE, ...SCAN]);
  const broken = [
    TABLE.slice(0, -1),
    [0xff, 0xdb, 0, 1],
    [...TABLE, 7],
    [0xff, 0x00],
    exif(6, true).slice(0, 9),
  ];
  for (const rest of broken) await assert.rejects(strip([...SOI, ...rest]), { code: 'image_damaged' });
});

test('a PNG keeps what is seen and loses text, Exif, times and unknown chunks', async () => {
  const signature = [0x89, ...bytes('PNG\r\n\x1a\n')];
  const seen = [
    chunk('IHDR', 'x'.repeat(13)),
    chunk('gAMA', '1234'),
    chunk('IDAT', 'pixels'),
    chunk('IEND', ''),
  ];
  const gone = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME', 'caBX', 'prVt'].map((type) => chunk(type, SECRET));
  const file = [
    ...signature,
    ...seen[0]!,
    ...gone.flat(),
    ...seen[1]!,
    ...seen[2]!,
    ...gone.flat(),
    ...seen[3]!,
    ...bytes(SECRET),
  ];
  const { image, stripped } = await strip(file);
  assert.equal(image, 'png');
  assert.deepEqual(stripped, [...signature, ...seen.flat()]);
  await assert.rejects(strip(file.slice(0, 60)), { code: 'image_damaged' });
  await assert.rejects(strip([...signature, ...chunk('1234', '')]), { code: 'image_damaged' });
});

test('anything that is neither passes untouched', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(255)), async (file) => {
      fc.pre(!(file[0] === 0xff && file[1] === 0xd8 && file[2] === 0xff));
      assert.deepEqual(await strip(file), { image: null, stripped: file });
    }),
    { numRuns: 50 },
  );
  const webp = bytes('RIFF\0\0\0\0WEBPVP8 ');
  assert.deepEqual(await strip(webp), { image: null, stripped: webp });
});

test('however a JPEG is cut into pieces or continued, no secret comes through', async () => {
  const file = [
    ...SOI,
    ...JFIF,
    ...exif(6, true),
    ...hidden.flat(),
    ...TABLE,
    ...SCAN,
    ...hidden.flat(),
    ...SCAN,
    ...EOI,
  ];
  const whole = await strip(file);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (step) => {
      assert.deepEqual(await strip(file, step), whole);
    }),
    { numRuns: 20 },
  );
  assert.ok(!Buffer.from(whole.stripped).includes(SECRET));
});

async function strip(
  file: readonly number[],
  step = 1000,
): Promise<{ image: string | null; stripped: number[] }> {
  const pieces = Array.from({ length: Math.ceil(file.length / step) }, (_, index) =>
    Uint8Array.from(file.slice(index * step, (index + 1) * step)),
  );
  const { image, content } = await stripImageMetadata(ReadableStream.from(pieces));
  return { image, stripped: Array.from(Buffer.concat(await Array.fromAsync(content))) };
}

function bytes(text: string): number[] {
  return [...Buffer.from(text, 'latin1')];
}

function segment(code: number, payload: string | number[]): number[] {
  const body = typeof payload === 'string' ? bytes(payload) : payload;
  return [0xff, code, (body.length + 2) >> 8, (body.length + 2) & 255, ...body];
}

function chunk(type: string, data: string): number[] {
  const body = Buffer.from(`${type}${data}`, 'latin1');
  const number = Buffer.alloc(8);
  number.writeUInt32BE(data.length, 0);
  number.writeUInt32BE(crc32(body), 4);
  return [...number.subarray(0, 4), ...body, ...number.subarray(4)];
}
