/** The frames of a backup file: each has a kind and a length, so that it can be read in one pass with little memory. */
import type { Static, TSchema } from 'typebox';
import type { RecordValue } from '#store/schema/typed-columns.ts';
import { matchesSchema } from '#wire/checked-value.ts';

export const FRAME_KINDS = { header: 1, table: 2, row: 3, end: 4 } as const;
type FrameKind = (typeof FRAME_KINDS)[keyof typeof FRAME_KINDS];

/** One byte for the kind, four for the length. */
const HEAD_BYTES = 5;
/** Far longer than any row; a longer frame is not ours. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

export interface Frame {
  readonly kind: number;
  readonly body: Buffer;
  /** The frame as it is in the file. */
  readonly bytes: Buffer;
}

export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}

function encodeBackupFrame(kind: FrameKind, body: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + body.length);
  frame.writeUInt8(kind, 0);
  frame.writeUInt32BE(body.length, 1);
  frame.set(body, HEAD_BYTES);
  return frame;
}

export function encodeJsonFrame(kind: FrameKind, value: unknown): Buffer {
  return encodeBackupFrame(kind, Buffer.from(JSON.stringify(value)));
}

/** JSON with each blob replaced by its length, then the blobs. Refuses NaN and infinities: JSON makes them null. */
export function encodeRow(values: readonly RecordValue[]): Buffer {
  if (values.some((value) => typeof value === 'number' && !Number.isFinite(value)))
    throw new BackupFault('a row has a number that is not finite');
  const blobs = values.filter((value) => value instanceof Uint8Array);
  const json = Buffer.from(
    JSON.stringify(values.map((value) => (value instanceof Uint8Array ? { bytes: value.length } : value))),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return encodeBackupFrame(FRAME_KINDS.row, Buffer.concat([length, json, ...blobs]));
}

export function decodeRow(body: Buffer): RecordValue[] {
  try {
    const end = 4 + body.readUInt32BE(0);
    const values = JSON.parse(body.toString('utf8', 4, end)) as unknown[];
    let at = end;
    return values.map((value) => {
      if (value === null || typeof value === 'string' || typeof value === 'number') return value;
      const { bytes } = value as { bytes: number };
      at += bytes;
      if (!Number.isInteger(bytes) || bytes < 0 || at > body.length) throw new Error('beyond the end');
      return body.subarray(at - bytes, at);
    });
  } catch {
    throw new BackupFault('a row cannot be read');
  }
}

export function decodeJson<Schema extends TSchema>(schema: Schema, body: Buffer): Static<Schema> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (matchesSchema(schema, value)) return value;
  } catch {
    // Treated like a mismatch.
  }
  throw new BackupFault('a part of it cannot be read');
}

/** Throws if the source ends within a frame. */
export async function* readFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  let needed = HEAD_BYTES;
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.length;
    if (size < needed) continue;
    let buffer = Buffer.concat(chunks);
    for (;;) {
      needed = measureFrame(buffer);
      if (buffer.length < needed) break;
      const bytes = buffer.subarray(0, needed);
      yield { kind: bytes.readUInt8(0), body: bytes.subarray(HEAD_BYTES), bytes };
      buffer = buffer.subarray(needed);
    }
    chunks = [buffer];
    size = buffer.length;
  }
  if (size > 0) throw new BackupFault('the file ends too early');
}

function measureFrame(buffer: Buffer): number {
  if (buffer.length < HEAD_BYTES) return HEAD_BYTES;
  const length = buffer.readUInt32BE(1);
  if (length > MAX_FRAME_BYTES) throw new BackupFault('a part of it is too large');
  return HEAD_BYTES + length;
}
