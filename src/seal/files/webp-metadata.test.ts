import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { SealError } from '../core/seal-error.ts';
import { stripImageMetadata } from './image-metadata.ts';
import { encodeOrientation } from './image-parts.ts';

const SECRET = 'SECRET PLACE, SECRET CAMERA';
const PIXELS = buildChunk('VP8 ', 'the pixels');
const COLOURS = buildChunk('ICCP', 'the colours');
/** Flags for Exif, XMP and colours, and a size of one pixel. */
const FACTS = '\x2c\0\0\0\0\0\0\0\0\0';

test('a WebP keeps its image and loses XMP, unknown parts and what follows it; its length stays', async () => {
  const hidden = [buildChunk('XMP ', SECRET), buildChunk('abcd', SECRET), buildChunk('XMP ', `${SECRET}!`)];
  const image = buildWebp(buildChunk('VP8X', FACTS), COLOURS, ...hidden, PIXELS, ...hidden);
  const stripped = await stripFile(Buffer.concat([image, Buffer.from(SECRET)]));
  const blanks = hidden.map((chunk) => buildChunk('JUNK', '\0'.repeat(chunk.readUInt32LE(4))));
  const facts = buildChunk('VP8X', `\x28${FACTS.slice(1)}`);
  assert.deepEqual(stripped, buildWebp(facts, COLOURS, ...blanks, PIXELS, ...blanks));
  assert.deepEqual(await stripFile(stripped), stripped);
});

test('of the Exif data of a WebP only the orientation remains', async () => {
  for (const prefix of ['', 'Exif\0\0'])
    for (const orientation of [1, 6, 8]) {
      const tiff = Buffer.from(encodeOrientation(orientation)).toString('latin1');
      const exif = `${prefix}${tiff}${SECRET}`;
      const image = buildWebp(buildChunk('VP8X', FACTS), PIXELS, buildChunk('EXIF', exif));
      const stripped = await stripFile(image);
      const rest = '\0'.repeat(exif.length - tiff.length);
      const facts = buildChunk('VP8X', `\x28${FACTS.slice(1)}`);
      assert.deepEqual(stripped, buildWebp(facts, PIXELS, buildChunk('EXIF', tiff + rest)));
    }
  for (const exif of [SECRET, `II*\0\x08\0\0\0\xff\xff${SECRET}`, 'x'])
    assert.doesNotMatch(
      (await stripFile(buildWebp(PIXELS, buildChunk('EXIF', exif)))).toString(),
      /SECRET|x$/,
    );
});

test('each frame of an animation is cleaned too, and frames in frames are none', async () => {
  const head = '\0'.repeat(16);
  const build = (...chunks: Buffer[]) => buildChunk('ANMF', head + Buffer.concat(chunks).toString('latin1'));
  const buildBlank = (chunk: Buffer) => buildChunk('JUNK', '\0'.repeat(chunk.length - 8));
  const secret = buildChunk('EXIF', `${SECRET}.`);
  const nested = build(PIXELS);
  const stripped = await stripFile(buildWebp(build(PIXELS, secret, nested), build(PIXELS)));
  assert.deepEqual(stripped.toString('latin1').includes('SECRET'), false);
  assert.deepEqual(stripped.subarray(-nested.length * 2).subarray(0, nested.length), buildBlank(nested));
  assert.deepEqual(stripped.subarray(-nested.length), nested);
});

test('a WebP whose lengths do not fit is refused', async () => {
  const whole = buildWebp(buildChunk('VP8X', FACTS), PIXELS);
  const writeSize = (size: number, at: number) => {
    const wrong = Buffer.from(whole);
    wrong.writeUInt32LE(size, at);
    return wrong;
  };
  for (const damaged of [
    ...[12, 16, 20, 30, whole.length - 1].map((length) => whole.subarray(0, length)),
    ...[0, 4, 11, 0xffff_fff0].map((size) => writeSize(size, 4)),
    writeSize(0xffff_ffff, 16),
    buildWebp(...Array.from({ length: 5_000 }, () => buildChunk('XMP ', ''))),
  ])
    await assert.rejects(stripFile(damaged), { code: 'image_damaged' });
});

test('whatever is in a WebP and however it arrives, no Exif, XMP or unknown part gets out', async () => {
  const type = fc.constantFrom('EXIF', 'XMP ', 'abcd', 'VP8 ', 'VP8X', 'ANMF', 'ICCP', 'JUNK', '\xff\0\n ');
  const chunk = fc.record({ type, before: fc.nat(40) }).map(({ type: name, before }) => {
    // Placed after the facts about an image or a frame, such as its size.
    const isVisible = ['VP8 ', 'ICCP'].includes(name);
    return buildChunk(name, `${'\x08'.repeat(16 + before)}${isVisible ? 'pixels' : SECRET}`);
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(chunk, { maxLength: 6 }),
      fc.integer({ min: 1, max: 60 }),
      fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 2 }),
      async (chunks, step, changes) => {
        const file = buildWebp(PIXELS, ...chunks);
        const whole = await stripFile(file, step).catch(requireDamage);
        if (whole) {
          assert.equal(whole.length, file.length);
          assert.ok(!whole.includes('SECRET'));
        }
        // Changing bytes after the name of the first chunk yields another image, or a damaged one.
        const damaged = Buffer.from(file);
        for (const [at, value] of changes) if (16 + at < damaged.length) damaged[16 + at] = value;
        const result = await stripFile(damaged, step).catch(requireDamage);
        assert.ok(result === null || result.length <= damaged.length);
      },
    ),
    { numRuns: 200 },
  );
});

function requireDamage(error: unknown): null {
  assert.ok(error instanceof SealError && error.code === 'image_damaged', String(error));
  return null;
}

async function stripFile(file: Uint8Array, step = 1_000): Promise<Buffer> {
  const pieces = Array.from({ length: Math.ceil(file.length / step) }, (_, index) =>
    Uint8Array.from(file.subarray(index * step, (index + 1) * step)),
  );
  const { image, content } = await stripImageMetadata(ReadableStream.from(pieces));
  assert.equal(image, 'webp');
  return Buffer.concat(await Array.fromAsync(content));
}

function buildChunk(type: string, data: string): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, Buffer.from(data, 'latin1'), Buffer.alloc(data.length % 2)]);
}

function buildWebp(...chunks: readonly Buffer[]): Buffer {
  return buildChunk('RIFF', `WEBP${Buffer.concat(chunks).toString('latin1')}`);
}
