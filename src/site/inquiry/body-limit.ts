/** Stops reading a form once it has sent more bytes or parts than its sender may. */
import type { IncomingMessage } from 'node:http';

/** RFC 2046 §5.1.1 allows no more. */
const MAX_BOUNDARY_LENGTH = 70;

interface BodySize {
  readonly bytes: number;
  readonly parts: number;
}

/**
 * Call it when the parser is already reading. It counts everything that arrives, even outside the parts of the form.
 * The parser has its own limit on parts, but throws outside of any request if a form exceeds it and then breaks off.
 */
export function createBodyLimit(request: IncomingMessage, initial: BodySize) {
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
    /** Once the sender is known. */
    raise: (allowed: BodySize) => {
      max = allowed;
    },
    /** Resolves as soon as the limit is exceeded; otherwise never settles. */
    exceeded,
  };
}

function readBoundary({ headers }: IncomingMessage): string {
  const [, quoted, plain = ''] =
    /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(headers['content-type'] ?? '') ?? [];
  return `--${(quoted ?? plain).slice(0, MAX_BOUNDARY_LENGTH)}`;
}

/** Also counts occurrences that span two chunks, because the sender decides where chunks end. */
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
