/** Takes the hidden data out of a JPEG or PNG as it streams by; everything else passes untouched. */
import {
  type ByteReader,
  createByteReader,
  createByteStream,
  READ_CHUNK_BYTES,
  readRemainingBytes,
} from './byte-stream.ts';
import { hasEqualBytes } from './bytes.ts';
import { stripJpeg } from './jpeg-metadata.ts';
import { stripPng } from './png-metadata.ts';
import { SealError } from './seal-error.ts';

const JPEG_START = Uint8Array.of(0xff, 0xd8, 0xff);
const PNG_START = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

export interface StrippedFile {
  /** What the file was found to be by its first bytes, whatever its name says; null where nothing is taken out. */
  readonly image: 'jpeg' | 'png' | null;
  /** Ends with `image_damaged` where the hidden data cannot be told from the picture. */
  readonly content: ReadableStream<Uint8Array>;
}

export async function stripImageMetadata(content: ReadableStream<Uint8Array>): Promise<StrippedFile> {
  const reader = createByteReader(content);
  const image = detectImageType(await reader.peek(PNG_START.length));
  const strip = { jpeg: stripJpeg, png: stripPng };
  return {
    image,
    content: createByteStream(
      image === null ? readRemainingBytes(reader) : drainAfterStripping(reader, strip[image](reader)),
    ),
  };
}

function detectImageType(start: Uint8Array): StrippedFile['image'] {
  if (hasEqualBytes(start.subarray(0, JPEG_START.length), JPEG_START)) return 'jpeg';
  return hasEqualBytes(start, PNG_START) ? 'png' : null;
}

async function* drainAfterStripping(
  reader: ByteReader,
  stripped: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stripped;
    // A source that is left unread, such as a part of a form, would hold up what comes after it.
    while ((await reader.readSome(READ_CHUNK_BYTES)) !== null);
  } catch (error) {
    const cut = error instanceof SealError && error.code === 'truncated';
    throw cut ? new SealError('image_damaged', undefined, error) : error;
  } finally {
    await reader.release();
  }
}
