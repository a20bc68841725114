/** Stops reading a request once it has sent more bytes than its sender may. */
import type { IncomingMessage } from 'node:http';

export interface BodyLimit {
  /** Allows more, once it is known who sends. */
  readonly raise: (maxBytes: number) => void;
  /** True as soon as there were too many bytes; never settles otherwise. */
  readonly exceeded: Promise<true>;
}

/** Call it when the parser is already reading: it counts what arrives, and what is in no part of the form as well. */
export function createBodyLimit(request: IncomingMessage, initialBytes: number): BodyLimit {
  const { promise: exceeded, resolve } = Promise.withResolvers<true>();
  let maxBytes = initialBytes;
  let received = 0;
  request.on('data', (chunk: Uint8Array) => {
    received += chunk.length;
    if (received <= maxBytes) return;
    request.unpipe();
    request.pause();
    resolve(true);
  });
  return {
    raise: (bytes) => {
      maxBytes = bytes;
    },
    exceeded,
  };
}
