/** The processor time for stripping images whose parts are as small and as many as their size allows. */
import test from 'node:test';
import { READ_CHUNK_BYTES } from '#seal/core/byte-stream.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { stripImageMetadata } from '#seal/files/image-metadata.ts';
import { isLongRun } from '#test/scale.ts';
import { assertSteadyGrowth } from './growth.ts';

const JPEG = [0xff, 0xd8];
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const WEBP = [...Buffer.from('RIFF'), 0xf8, 0xff, 0xff, 0xff, ...Buffer.from('WEBP')];
const encodeChunk = (type: string) => [0, 0, 0, 0, ...Buffer.from(type), 0, 0, 0, 0];

/** The start of an image, and bytes that are repeated after it. */
const images: Readonly<Record<string, readonly [start: readonly number[], repeated: readonly number[]]>> = {
  'fill bytes before a marker': [JPEG, [0xff]],
  'empty segments': [JPEG, [0xff, 0xe1, 0, 2]],
  'empty comments': [JPEG, [0xff, 0xfe, 0, 2]],
  'restart markers': [JPEG, [0xff, 0xd0]],
  'scans without data': [JPEG, [0xff, 0xda, 0, 2]],
  'scans of one byte': [JPEG, [0xff, 0xda, 0, 2, 1]],
  'a scan of stuffed bytes': [
    [...JPEG, 0xff, 0xda, 0, 2],
    [0xff, 0],
  ],
  'a scan of restart markers': [
    [...JPEG, 0xff, 0xda, 0, 2],
    [0xff, 0xd0],
  ],
  'directories without an end': [
    JPEG,
    [0xff, 0xe1, 0, 18, ...Buffer.from('Exif\0\0MM\0*\0\0\0\x08'), 0xff, 0xff],
  ],
  'empty chunks that are kept': [PNG, encodeChunk('IDAT')],
  'empty chunks that are dropped': [PNG, encodeChunk('tEXt')],
  'empty chunks of a WebP that are kept': [WEBP, [...Buffer.from('VP8 '), 0, 0, 0, 0]],
  'empty chunks of a WebP that are blanked': [WEBP, [...Buffer.from('XMP '), 0, 0, 0, 0]],
  'frames in frames': [WEBP, [...Buffer.from('ANMF'), 0, 0, 0, 0x7f, ...Buffer.alloc(16)]],
  'no image at all': [[], [0x41]],
};

/** One of each format; the service cleans a picture itself if the browser does not. */
const SHORT_LIST: readonly string[] = [
  'empty segments',
  'empty chunks that are dropped',
  'empty chunks of a WebP that are blanked',
];

/** What arrives at once and is processed without a pause; a whole file takes proportionally longer. */
const LIMIT = 2 * READ_CHUNK_BYTES;

async function stripRepeated(start: readonly number[], repeated: readonly number[], length: number) {
  const bytes = Buffer.concat([Buffer.from(start), Buffer.alloc(length, Buffer.from(repeated))]);
  try {
    const { content } = await stripImageMetadata(new Blob([bytes]).stream());
    const reader = content.getReader();
    while (!(await reader.read()).done);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
  }
}

for (const [name, [start, repeated]] of Object.entries(images).filter(
  ([each]) => isLongRun || SHORT_LIST.includes(each),
))
  test(`${name}: stripping takes time in proportion to the length`, async () => {
    await assertSteadyGrowth(name, LIMIT, (length) => stripRepeated(start, repeated, length));
  });
