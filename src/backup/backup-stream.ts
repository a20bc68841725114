/** A backup as a stream of bytes: a header, tables with rows, and an end that proves it complete and authentic. */
import { createHash } from 'node:crypto';
import { type Static, type TSchema, Type } from 'typebox';
import { VERSION } from '#platform/config/version.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import type { SnapshotTable } from '#store/engine/records-snapshot.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import type { Installation } from '#store/keys/shred-keys.ts';
import type { CopiedItem } from '#store/restore/insert-items.ts';
import { type RecordValue, requireTypedRow } from '#store/schema/typed-columns.ts';
import { matchesSchema } from '#wire/checked-value.ts';

const FORMAT = 'inquiry-office backup 1';
/** Rows are gathered to this size, because each chunk has a fixed cost. */
const CHUNK_BYTES = 64 * 1024;

const Counter = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Installation id and generation, under the names that they have in backups. */
const InstallationSchema = Type.Object({ id: Type.String(), counter: Counter });

export const BackupHeader = Type.Object({
  format: Type.String(),
  part: Type.Union([Type.Literal('records'), Type.Literal('keys')]),
  program: Type.String(),
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
  /** The steps of the schema; empty for keys. */
  steps: Type.Array(Type.String()),
  pairing: InstallationSchema,
  /** The installations before each restore: records from before it belong to these keys, too. */
  former: Type.Array(InstallationSchema),
  /** Epoch milliseconds. */
  cutAt: Counter,
  /** Distinguishes a wrong MASTER_KEY from a forged file. */
  masterKeyTag: Type.String(),
});
export type BackupHeader = Static<typeof BackupHeader>;

export function toHeaderIds(
  installation: Installation,
  previous: readonly Installation[] = [],
): Pick<BackupHeader, 'pairing' | 'former'> {
  const toId = ({ id, generation }: Installation) => ({ id, counter: generation });
  return { pairing: toId(installation), former: previous.map(toId) };
}

/** Lists all installations; the last one is the current installation of the header. */
export function listHeaderInstallations({ pairing, former }: BackupHeader): Installation[] {
  return [...former, pairing].map(({ id, counter: generation }) => ({ id, generation }));
}

const TableHead = Type.Object({ name: Type.String(), columns: Type.Array(Type.String()) });

const BackupEnd = Type.Object({ rows: Counter, hash: Type.String(), mac: Type.String() });
type BackupEnd = Static<typeof BackupEnd>;

export type HeaderFacts = Omit<BackupHeader, 'format' | 'program' | 'masterKeyTag'>;

export async function* encodeBackup(
  keyring: Keyring,
  facts: HeaderFacts,
  tables: AsyncIterable<SnapshotTable>,
  watchItem: (item: CopiedItem) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const header: BackupHeader = {
    format: FORMAT,
    program: VERSION,
    masterKeyTag: keyring.tag('backup', 'master key'),
    ...facts,
  };
  let rows = 0;
  let gathered: Buffer[] = [encodeJsonFrame(FRAME_KINDS.header, header)];
  let size = 0;
  const collect = (frame: Buffer) => {
    gathered.push(frame);
    size += frame.length;
    return size >= CHUNK_BYTES;
  };
  const takeGathered = () => {
    const chunk = Buffer.concat(gathered);
    hash.update(chunk);
    gathered = [];
    size = 0;
    return chunk;
  };
  for await (const { name: table, columns, rows: tableRows } of tables) {
    const names = columns.map(({ name }) => name);
    watchItem({ table, columns: names });
    collect(encodeJsonFrame(FRAME_KINDS.table, { name: table, columns: names }));
    let number = 0;
    for await (const values of tableRows) {
      number += 1;
      requireTypedRow({ table, columns, number, values });
      watchItem({ row: values });
      if (collect(encodeRow(values))) yield takeGathered();
    }
    rows += number;
  }
  yield takeGathered();
  const digest = hash.digest('base64url');
  const end: BackupEnd = { rows, hash: digest, mac: keyring.tag('backup', digest) };
  yield encodeJsonFrame(FRAME_KINDS.end, end);
}

export interface OpenedBackup {
  readonly header: BackupHeader;
  /** Ends without an error only if the whole file was read, is complete and was written with this MASTER_KEY. */
  readonly items: AsyncGenerator<CopiedItem>;
}

export async function decodeBackup(
  keyring: Keyring,
  source: AsyncIterable<Uint8Array>,
): Promise<OpenedBackup> {
  const frames = readFrames(source);
  const { value: first } = await frames.next();
  if (!first || first.kind !== FRAME_KINDS.header) throw new BackupFault('not a backup');
  const header = decodeJson(BackupHeader, first.body);
  if (header.format !== FORMAT) throw new BackupFault('a backup of another version of this program');
  if (!matchesTag(keyring, 'master key', header.masterKeyTag))
    throw new BackupFault('written with another MASTER_KEY; set the one of that installation');
  return { header, items: decodeItems(keyring, first, frames) };
}

async function* decodeItems(
  keyring: Keyring,
  first: Frame,
  frames: AsyncGenerator<Frame>,
): AsyncGenerator<CopiedItem> {
  const hash = createHash('sha256').update(first.bytes);
  let rows = 0;
  let end: BackupEnd | null = null;
  for await (const { kind, body, bytes } of frames) {
    if (end) throw new BackupFault('it contains data after its end');
    if (kind === FRAME_KINDS.end) {
      end = decodeJson(BackupEnd, body);
      continue;
    }
    hash.update(bytes);
    if (kind === FRAME_KINDS.row) {
      rows += 1;
      yield { row: decodeRow(body) };
    } else if (kind === FRAME_KINDS.table) {
      const { name, columns } = decodeJson(TableHead, body);
      yield { table: name, columns };
    } else throw new BackupFault('it contains an unknown part');
  }
  requireEnd(keyring, end, { rows, hash: hash.digest('base64url') });
}

function matchesTag(keyring: Keyring, value: string, presented: string): boolean {
  return isEqualInConstantTime(presented, keyring.tag('backup', value));
}

function requireEnd(keyring: Keyring, end: BackupEnd | null, read: Pick<BackupEnd, 'rows' | 'hash'>): void {
  if (!end) throw new BackupFault('the file ends too early');
  if (end.rows !== read.rows || end.hash !== read.hash) throw new BackupFault('the file is damaged');
  if (!matchesTag(keyring, read.hash, end.mac))
    throw new BackupFault('the file was not written by this installation');
}

export const FRAME_KINDS = { header: 1, table: 2, row: 3, end: 4 } as const;
type FrameKind = (typeof FRAME_KINDS)[keyof typeof FRAME_KINDS];

/** One byte for the kind, four for the length. */
const HEAD_BYTES = 5;
/** Far longer than any row; a longer frame is not ours. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

interface Frame {
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

function decodeRow(body: Buffer): RecordValue[] {
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

function decodeJson<Schema extends TSchema>(schema: Schema, body: Buffer): Static<Schema> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (matchesSchema(schema, value)) return value;
  } catch {
    // Treated like a mismatch.
  }
  throw new BackupFault('a part of it cannot be read');
}

/** Throws if the source ends within a frame. */
async function* readFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
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
