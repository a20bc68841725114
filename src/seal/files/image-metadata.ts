/** Strips the metadata of a JPEG, PNG or WebP stream; other files pass unchanged. */
import {
  type ByteReader,
  createByteReader,
  createByteStream,
  READ_CHUNK_BYTES,
  readRemainingBytes,
} from '../core/byte-stream.ts';
import { hasPrefix } from '../core/bytes.ts';
import { SealError } from '../core/seal-error.ts';
import { stripJpeg } from './jpeg-metadata.ts';
import { stripPng } from './png-metadata.ts';
import { isWebpStart, stripWebp, WEBP_START_BYTES } from './webp-metadata.ts';

const JPEG_START = Uint8Array.of(0xff, 0xd8, 0xff);
const PNG_START = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** The kinds of images that can be cleaned without changing a pixel. */
export type CleanableImage = 'jpeg' | 'png' | 'webp';

/**
 * `image` is detected from the first bytes, whatever the file name says, and null if nothing is stripped. The content
 * fails with `image_damaged` if metadata cannot be separated from the image.
 */
export async function stripImageMetadata(content: ReadableStream<Uint8Array>) {
  const reader = createByteReader(content);
  const image = detectCleanableImage(await reader.peek(WEBP_START_BYTES));
  const strippers = { jpeg: stripJpeg, png: stripPng, webp: stripWebp };
  return {
    image,
    content: createByteStream(
      image === null ? readRemainingBytes(reader) : drainAfterStripping(reader, strippers[image](reader)),
    ),
  };
}

/** `start` has the first bytes of a file, at least `WEBP_START_BYTES` unless the file is shorter. */
export function detectCleanableImage(start: Uint8Array): CleanableImage | null {
  if (hasPrefix(start, JPEG_START)) return 'jpeg';
  if (hasPrefix(start, PNG_START)) return 'png';
  return isWebpStart(start) ? 'webp' : null;
}

async function* drainAfterStripping(
  reader: ByteReader,
  stripped: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stripped;
    // An unread source, such as a part of a multipart form, would block what follows it.
    while ((await reader.readSome(READ_CHUNK_BYTES)) !== null);
  } catch (error) {
    const isTruncated = error instanceof SealError && error.code === 'truncated';
    throw isTruncated ? new SealError('image_damaged', undefined, error) : error;
  } finally {
    await reader.release();
  }
}
