/** Sealed objects of cases. A short one is a single row. */
import { type Insertable, type Selectable, sql } from 'kysely';
import type { DeskAuthor } from '#seal/case/sealed-message.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { type AuditedAct, buildAuditEntries } from '../audit-log.ts';
import { executeTogether, prepareFind, prepareInsert, prepareQuery } from '../engine/prepared.ts';
import { toRowNumber } from '../engine/row-number.ts';
import { chooseRows, deleteRows, insertIfNew, listRows, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';
import { computeAwaitingReply } from './awaiting-reply.ts';
import { type Case, type ChangedCase, updateCaseIfUnchanged } from './cases.ts';

/** Maximum length of one piece. */
export const MAX_STORED_PIECE_BYTES = 256 * 1024;

export interface CaseObjectPlace {
  readonly caseId: string;
  readonly kind: SealedKind;
  readonly seq: number;
}

export interface ObjectPiece {
  readonly objectId: string;
  readonly piece: number;
  readonly bytes: Uint8Array;
}

/** A piece that is already stored stays as it is: a repeated upload sends the same bytes. */
export async function insertObjectPiece(
  records: Records,
  { objectId, piece, bytes }: ObjectPiece,
): Promise<void> {
  const number = toRowNumber(objectId);
  if (piece > 0) {
    const own = { number: toPieceNumber(objectId, piece), object_number: number, piece };
    await insertIfNew(records, 'object_pieces', { ...own, size: bytes.length, bytes });
    return;
  }
  await updateRows(records, 'objects', { number, id: objectId, bytes: null }, { bytes });
}

export function toPieceNumber(objectId: string, piece: number): number {
  return toRowNumber(`${objectId} ${piece}`);
}

/** Returns the length of an object, or null if a piece is missing. */
export async function computeObjectSize(records: Records, objectId: string): Promise<number | null> {
  const number = toRowNumber(objectId);
  const object = await chooseRows(records, 'objects', { number, id: objectId })
    .select(sql<number | null>`octet_length(bytes)`.as('first'))
    .executeTakeFirst();
  if (object?.first == null) return null;
  const { count, last, size } = await records
    .selectFrom('object_pieces')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.max<number | null>('piece').as('last'),
      fn.sum<number | null>('size').as('size'),
    ])
    .where('object_number', '=', number)
    .executeTakeFirstOrThrow();
  return count === (last ?? 0) ? object.first + (size ?? 0) : null;
}

export interface StoredObject {
  readonly id: string;
  readonly kind: SealedKind;
  readonly seq: number;
  readonly size: number;
  readonly keptAt: number;
  /** Only for a message of the desk, and shown only to the desk. */
  readonly author?: DeskAuthor | null;
}

export type ObjectRow = Pick<
  Selectable<Tables['objects']>,
  'id' | 'kind' | 'seq' | 'size' | 'kept_at' | 'author'
>;

/** Returns the object's id, or null if there is nothing at this place. */
export async function findCaseObjectId(
  records: Records,
  { caseId, kind, seq }: CaseObjectPlace,
): Promise<string | null> {
  const query = chooseRows(records, 'objects', { case_id: caseId, kind, seq }).select('id');
  return (await query.executeTakeFirst())?.id ?? null;
}

/** Lists all objects of a case, oldest first. */
export async function listCaseObjects(records: Records, caseId: string): Promise<StoredObject[]> {
  return (await selectObjects(records, { case_id: caseId })).map(toStoredObject);
}

const selectObjects = prepareQuery<{ case_id: string }, ObjectRow>((records, { case_id }) =>
  chooseRows(records, 'objects', { case_id }, { by: 'kept_at' })
    .select(['id', 'kind', 'seq', 'size', 'kept_at', 'author'])
    .orderBy('kind')
    .orderBy('seq'),
);

export function toStoredObject({ id, kind, seq, size, kept_at: keptAt, author }: ObjectRow): StoredObject {
  const [holder, salt] = author?.split(' ') ?? [];
  return {
    id,
    kind: kind as SealedKind,
    seq: seq ?? 0,
    size: size ?? 0,
    keptAt,
    author: holder && salt ? { holder, salt } : null,
  };
}

export interface NewObject extends CaseObjectPlace {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly now: number;
  /** Only for a message of the desk. */
  readonly author?: DeskAuthor | undefined;
}

export const insertObjectRow = prepareInsert('objects');

export function buildObjectRow({
  id,
  caseId,
  kind,
  seq,
  bytes,
  now,
  author,
}: NewObject): Insertable<Tables['objects']> {
  return {
    number: toRowNumber(id),
    id,
    case_id: caseId,
    kind,
    seq,
    size: bytes.length,
    kept_at: now,
    author: author ? `${author.holder} ${author.salt}` : null,
    bytes: bytes.subarray(0, MAX_STORED_PIECE_BYTES),
  };
}

/** Stores a short object directly in its case, without staging, together with its entries in the audit log. */
export async function insertObject(
  records: Records,
  object: NewObject,
  acts: readonly AuditedAct[] = [],
  actedAt = object.now,
): Promise<void> {
  const entries = acts.length > 0 && { entries: buildAuditEntries(records, acts, actedAt).compile() };
  await executeTogether(records, { ...entries }, insertObjectRow.compile(records, buildObjectRow(object)));
  await insertFurtherPieces(records, object.id, object.bytes);
}

interface Addition {
  /** The case as it was read. */
  readonly record: Case;
  /** Other changes to the case. */
  readonly changes?: Partial<Case>;
  readonly acts?: readonly AuditedAct[];
  readonly now: number;
}

/** Adds an object to a case that was there before; returns undefined if the case has changed since it was read. */
export async function addToCase(
  records: Records,
  object: Omit<NewObject, 'caseId'>,
  { record, changes, acts, now }: Addition,
): Promise<ChangedCase | undefined> {
  await insertObject(records, { ...object, caseId: record.id }, acts, now);
  const answering = computeAwaitingReply([object.kind]);
  return await updateCaseIfUnchanged(records, record, { ...answering, ...changes, changed_at: now });
}

/** Replaces the bytes of a short object; returns false if the case no longer has it. */
export async function replaceObject(
  records: Records,
  { id, caseId, bytes }: { readonly id: string; readonly caseId: string; readonly bytes: Uint8Array },
): Promise<boolean> {
  const number = toRowNumber(id);
  const change = { size: bytes.length, bytes: bytes.subarray(0, MAX_STORED_PIECE_BYTES) };
  if (!(await updateRows(records, 'objects', { number, id, case_id: caseId }, change))) return false;
  await deleteRows(records, 'object_pieces', { object_number: number });
  await insertFurtherPieces(records, id, bytes);
  return true;
}

async function insertFurtherPieces(records: Records, objectId: string, bytes: Uint8Array): Promise<void> {
  for (let piece = 1; piece * MAX_STORED_PIECE_BYTES < bytes.length; piece += 1) {
    const at = piece * MAX_STORED_PIECE_BYTES;
    const further = bytes.subarray(at, at + MAX_STORED_PIECE_BYTES);
    await insertObjectPiece(records, { objectId, piece, bytes: further });
  }
}

const findFirstPiece = prepareFind('objects', 'number', 'id');
const findFurtherPiece = prepareFind('object_pieces', 'number', 'object_number');

export async function findObjectPiece(
  records: Records,
  objectId: string,
  piece: number,
): Promise<Uint8Array | undefined> {
  const object = toRowNumber(objectId);
  const row = await (piece === 0
    ? findFirstPiece(records, object, objectId)
    : findFurtherPiece(records, toPieceNumber(objectId, piece), object));
  return row?.bytes ?? undefined;
}

/** Compares the stored pieces with these bytes. */
export async function matchesStoredObject(
  records: Records,
  objectId: string,
  sealed: Uint8Array,
): Promise<boolean> {
  for (let piece = 0, at = 0; at < sealed.length; piece += 1) {
    const bytes = await findObjectPiece(records, objectId, piece);
    if (!bytes || Buffer.compare(bytes, sealed.subarray(at, at + bytes.length)) !== 0) return false;
    at += bytes.length;
  }
  return true;
}

/**
 * Reads whole objects, most of them with one query: for envelopes, which are short; files are read piece by piece.
 * Leaves out objects that do not exist or have been deleted.
 */
export async function readObjects(
  records: Records,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (ids.length === 0) return new Map();
  const objects = await listRows(records, 'objects', { number: ['in', ids.map(toRowNumber)] });
  const long = objects.filter(({ size, bytes }) => (bytes?.length ?? 0) < (size ?? 0));
  const piecesOfLong = { object_number: ['in', long.map(({ number }) => number)] } as const;
  const pieces =
    long.length === 0 ? [] : await listRows(records, 'object_pieces', piecesOfLong, { by: 'piece' });
  const piecesByNumber = Map.groupBy(pieces, (piece) => piece.object_number);
  return new Map(
    objects.flatMap(({ number, id, bytes }) => {
      if (!bytes) return [];
      const further = piecesByNumber.get(number) ?? [];
      return [
        [id, further.length === 0 ? bytes : Buffer.concat([bytes, ...further.map((piece) => piece.bytes)])],
      ];
    }),
  );
}
