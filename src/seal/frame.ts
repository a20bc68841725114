/** JSON with its header, padded to a size class; the last bytes may be left free for a MAC. */
import { fromUtf8, readUint32, uint32, utf8 } from './bytes.ts';
import { checkHeader, type Header, headerLine } from './header.ts';
import { SIZE_CLASSES, sizeClassOf } from './padding.ts';
import { SealError } from './seal-error.ts';

const NEWLINE = 10;
const LENGTH_BYTES = 4;

/** Header line, length of the body, body, zeros, `free` zeros. */
export function writeFrame(header: Header, body: unknown, free = 0): Uint8Array {
  const line = utf8(`${headerLine(header)}\n`);
  const text = utf8(JSON.stringify(body));
  const used = line.length + LENGTH_BYTES + text.length + free;
  const frame = new Uint8Array(sizeClassOf(used));
  frame.set(line);
  frame.set(uint32(text.length), line.length);
  frame.set(text, line.length + LENGTH_BYTES);
  return frame;
}

/** Refuses a frame of another version or from another place. */
export function checkFrame(frame: Uint8Array, expected: Header): void {
  if (!SIZE_CLASSES.some((size) => size === frame.length)) throw new SealError('truncated');
  checkHeader(decoded(frame.subarray(0, lineEndOf(frame))), expected);
}

export function frameBody(frame: Uint8Array, free = 0): unknown {
  const start = lineEndOf(frame) + 1 + LENGTH_BYTES;
  const end = start <= frame.length ? start + readUint32(frame, start - LENGTH_BYTES) : start;
  if (end > frame.length - free) throw new SealError('tampered');
  return parsed(decoded(frame.subarray(start, end)));
}

function lineEndOf(frame: Uint8Array): number {
  const lineEnd = frame.indexOf(NEWLINE);
  if (lineEnd < 0) throw new SealError('tampered');
  return lineEnd;
}

function decoded(bytes: Uint8Array): string {
  try {
    return fromUtf8(bytes);
  } catch (error) {
    throw new SealError('tampered', undefined, error);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw new SealError('tampered');
  }
}
