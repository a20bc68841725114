/** Streams of bytes: read in pieces of a wanted length, made from a generator, never held whole. */
import { joinBytes } from './bytes.ts';
import { SealError } from './seal-error.ts';

/** How much is asked for at a time where the length does not matter. */
export const READ_CHUNK_BYTES = 64 * 1024;

export interface ByteReader {
  /** Exactly so many bytes; `truncated` where the stream ends before. */
  readExactly(count: number): Promise<Uint8Array>;
  /** The next bytes as they come, at most so many; null at the end. */
  readSome(count: number): Promise<Uint8Array | null>;
  /** The next bytes without taking them; fewer where the stream ends before. */
  peek(count: number): Promise<Uint8Array>;
  /** Frees the source, which may hold a file or a connection. One that has failed already told why. */
  release(): Promise<void>;
}

export function createByteReader(stream: ReadableStream<Uint8Array>): ByteReader {
  const source = stream.getReader();
  let held: Uint8Array = new Uint8Array(0);

  const fillBuffer = async (count: number): Promise<void> => {
    const parts = [held];
    let length = held.length;
    while (length < count) {
      const { done, value } = await source.read();
      if (done) break;
      parts.push(value);
      length += value.length;
    }
    if (parts.length > 1) held = joinBytes(...parts);
  };

  const consumeBuffer = (count: number): Uint8Array => {
    const bytes = held.subarray(0, count);
    held = held.subarray(count);
    return bytes;
  };

  return {
    readExactly: async (count) => {
      await fillBuffer(count);
      if (held.length < count) throw new SealError('truncated');
      return consumeBuffer(count);
    },
    readSome: async (count) => {
      await fillBuffer(1);
      return held.length === 0 ? null : consumeBuffer(count);
    },
    peek: async (count) => {
      await fillBuffer(count);
      return held.subarray(0, count);
    },
    release: async () => await source.cancel().catch(() => undefined),
  };
}

/** A stream that asks the generator for the next piece only when its reader wants one. */
export function createByteStream(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await pieces.return(undefined)),
    },
    // Nothing is read ahead: the header of a stream nobody reads costs nothing.
    { highWaterMark: 0 },
  );
}

/** Whatever is left, piece by piece. */
export async function* readRemainingBytes(reader: ByteReader): AsyncGenerator<Uint8Array> {
  try {
    for (
      let piece = await reader.readSome(READ_CHUNK_BYTES);
      piece !== null;
      piece = await reader.readSome(READ_CHUNK_BYTES)
    )
      yield piece;
  } finally {
    await reader.release();
  }
}

interface Measured {
  readonly stream: ReadableStream<Uint8Array>;
  /** Null until the stream has ended. */
  readonly length: () => number | null;
}

/** The same stream, which then knows its length. */
export function measureStream(stream: ReadableStream<Uint8Array>): Measured {
  let length = 0;
  let ended = false;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      length += chunk.length;
      controller.enqueue(chunk);
    },
    flush: () => {
      ended = true;
    },
  });
  return { stream: stream.pipeThrough(counter), length: () => (ended ? length : null) };
}
