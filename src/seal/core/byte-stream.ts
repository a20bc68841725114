/** Byte streams: read in chunks of a given length, or created from a generator, without buffering everything. */
import { joinBytes } from './bytes.ts';
import { SealError } from './seal-error.ts';

/** How much to read at a time when the length does not matter. */
export const READ_CHUNK_BYTES = 64 * 1024;

export interface ByteReader {
  /** Reads exactly `count` bytes; throws `truncated` if the stream ends first. */
  readExactly(count: number): Promise<Uint8Array>;
  /** Reads the next available bytes, at most `count`; null at the end. */
  readSome(count: number): Promise<Uint8Array | null>;
  /** Returns the next bytes without consuming them; fewer if the stream ends first. */
  peek(count: number): Promise<Uint8Array>;
  /** Frees the source, which may hold a file or a connection. A failed source has already reported its error. */
  release(): Promise<void>;
}

export function createByteReader(stream: ReadableStream<Uint8Array>): ByteReader {
  const source = stream.getReader();
  let buffer: Uint8Array = new Uint8Array(0);

  const fillBuffer = async (count: number): Promise<void> => {
    const chunks = [buffer];
    let length = buffer.length;
    while (length < count) {
      const { done, value } = await source.read();
      if (done) break;
      chunks.push(value);
      length += value.length;
    }
    if (chunks.length > 1) buffer = joinBytes(...chunks);
  };

  const consumeBuffer = (count: number): Uint8Array => {
    const bytes = buffer.subarray(0, count);
    buffer = buffer.subarray(count);
    return bytes;
  };

  return {
    readExactly: async (count) => {
      await fillBuffer(count);
      if (buffer.length < count) throw new SealError('truncated');
      return consumeBuffer(count);
    },
    readSome: async (count) => {
      await fillBuffer(1);
      return buffer.length === 0 ? null : consumeBuffer(count);
    },
    peek: async (count) => {
      await fillBuffer(count);
      return buffer.subarray(0, count);
    },
    release: async () => await source.cancel().catch(() => undefined),
  };
}

/** Pulls the next chunk from the generator only when the reader requests it. */
export function createByteStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await chunks.return(undefined)),
    },
    // No read-ahead: a stream that is not read costs nothing.
    { highWaterMark: 0 },
  );
}

export async function* readRemainingBytes(reader: ByteReader): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const chunk = await reader.readSome(READ_CHUNK_BYTES);
      if (chunk === null) return;
      yield chunk;
    }
  } finally {
    await reader.release();
  }
}

/** Passes the stream through and counts its bytes; the length is null until the stream has ended. */
export function measureStream(stream: ReadableStream<Uint8Array>) {
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
