/** Stops reading a form once it has sent more bytes or parts than its sender may. */
import type { IncomingMessage } from 'node:http';

/** RFC 2046 §5.1.1 allows no more. */
const MAX_BOUNDARY_LENGTH = 70;

interface BodySize {
  readonly bytes: number;
  readonly parts: number;
}

export interface BodyLimit {
  /** Allows more, once it is known who sends. */
  readonly raise: (allowed: BodySize) => void;
  /** True as soon as there was too much; never settles otherwise. */
  readonly exceeded: Promise<true>;
}

/**
 * Call it when the parser is already reading. It counts what arrives, and what is in no part of the form as well. The
 * parser has a limit on parts, but fails outside of any request if a form has more and then breaks off.
 */
export function createBodyLimit(request: IncomingMessage, initial: BodySize): BodyLimit {
  const { promise: exceeded, resolve } = Promise.withResolvers<true>();
  const countParts = createOccurrenceCounter(readBoundary(request));
  let max = initial;
  let bytes = 0;
  let parts = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    parts += countParts(chunk);
    if (bytes <= max.bytes && parts <= max.parts) return;
    request.unpipe();
    request.pause();
    resolve(true);
  });
  return {
    raise: (allowed) => {
      max = allowed;
    },
    exceeded,
  };
}

function readBoundary({ headers }: IncomingMessage): string {
  const [, quoted, plain = ''] =
    /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(headers['content-type'] ?? '') ?? [];
  return `--${(quoted ?? plain).slice(0, MAX_BOUNDARY_LENGTH)}`;
}

/** Counts those that two chunks share as well: a sender decides where chunks end. */
function createOccurrenceCounter(text: string): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const bytes = Buffer.concat([rest, chunk]);
    let count = 0;
    let end = 0;
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, end)) {
      count += 1;
      end = at + text.length;
    }
    rest = bytes.subarray(Math.max(end, bytes.length - text.length + 1));
    return count;
  };
}
