/** JSON with a header line, padded to a size class, optionally with space for a MAC at the end. */
import { decodeUint32, decodeUtf8, encodeUint32, encodeUtf8 } from './bytes.ts';
import { checkHeader, type SealedHeader, serializeHeader } from './header.ts';
import { computeSizeClass, PADDING_SIZE_CLASSES } from './padding.ts';
import { SealError } from './seal-error.ts';

const NEWLINE = 10;
const LENGTH_BYTES = 4;

/** Layout: header line, body length, body, zero padding, `macBytes` zeros. */
export function encodeFrame(header: SealedHeader, body: unknown, macBytes = 0): Uint8Array {
  const line = encodeUtf8(`${serializeHeader(header)}\n`);
  const text = encodeUtf8(JSON.stringify(body));
  const used = line.length + LENGTH_BYTES + text.length + macBytes;
  const frame = new Uint8Array(computeSizeClass(used));
  frame.set(line);
  frame.set(encodeUint32(text.length), line.length);
  frame.set(text, line.length + LENGTH_BYTES);
  return frame;
}

/** Throws if the frame has another version or belongs to another place. */
export function checkFrame(frame: Uint8Array, expected: SealedHeader): void {
  if (!PADDING_SIZE_CLASSES.some((size) => size === frame.length)) throw new SealError('truncated');
  checkHeader(decodeText(frame.subarray(0, requireLineEnd(frame))), expected);
}

export function decodeFrameBody(frame: Uint8Array, macBytes = 0): unknown {
  const start = requireLineEnd(frame) + 1 + LENGTH_BYTES;
  const end = start <= frame.length ? start + decodeUint32(frame, start - LENGTH_BYTES) : start;
  if (end > frame.length - macBytes) throw new SealError('tampered');
  return parseBody(decodeText(frame.subarray(start, end)));
}

function requireLineEnd(frame: Uint8Array): number {
  const lineEnd = frame.indexOf(NEWLINE);
  if (lineEnd < 0) throw new SealError('tampered');
  return lineEnd;
}

function decodeText(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes);
  } catch (error) {
    throw new SealError('tampered', undefined, error);
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No cause: the parser's message quotes the text.
    throw new SealError('tampered');
  }
}
