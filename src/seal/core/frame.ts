/** JSON with a header line, padded to a size class, optionally with space for a MAC at the end. */
import { parseBoundedJson } from './bounded-json.ts';
import { decodeUint32, decodeUtf8OrNull, encodeUint32, encodeUtf8 } from './bytes.ts';
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
  const line = decodeUtf8OrNull(frame.subarray(0, requireLineEnd(frame)));
  if (line === null) throw new SealError('tampered');
  checkHeader(line, expected);
}

/** The content of a frame as its author wrote it; its form is not checked. */
export interface FrameBody {
  readonly bytes: Uint8Array;
  /** Undefined unless the bytes are JSON within the bounds of `parseBoundedJson`. */
  readonly value: unknown;
}

/** If the stated length does not fit in the frame, returns everything after the header. */
export function decodeFrameBody(frame: Uint8Array, macBytes = 0): FrameBody {
  const lineEnd = requireLineEnd(frame);
  const start = lineEnd + 1 + LENGTH_BYTES;
  const limit = frame.length - macBytes;
  const end = start <= limit ? start + decodeUint32(frame, start - LENGTH_BYTES) : Infinity;
  if (end > limit) return { bytes: frame.subarray(lineEnd + 1, limit), value: undefined };
  const bytes = frame.subarray(start, end);
  const text = decodeUtf8OrNull(bytes);
  return { bytes, value: text === null ? undefined : parseBoundedJson(text) };
}

function requireLineEnd(frame: Uint8Array): number {
  const lineEnd = frame.indexOf(NEWLINE);
  if (lineEnd < 0) throw new SealError('tampered');
  return lineEnd;
}
