/** Sealed objects, stored in pieces: first staged by their uploader, then bound to a case. */
import type { Insertable, Selectable } from 'kysely';
import type { SealedKind } from '#seal/header.ts';
import { padForErasure, stripErasurePadding } from './overflow-bytes.ts';
import { prepareInsert, prepareQuery } from './prepared.ts';
import { createRandomRowid } from './random-rowid.ts';
import type { Records, Tables } from './tables.ts';
import { recordAddition } from './unanswered-messages.ts';

/** Maximum length of one piece. */
export const MAX_STORED_PIECE_BYTES = 256 * 1024;

export interface CaseObjectPlace {
  readonly caseId: string;
  readonly kind: SealedKind;
  readonly seq: number;
}

interface StagedObject {
  readonly id: string;
  readonly holder: string;
  readonly now: number;
}

/** Returns false if the object belongs to another holder or to a case. */
export async function stageObject(records: Records, { id, holder, now }: StagedObject): Promise<boolean> {
  await records
    .insertInto('objects')
    .values({ id, holder, kept_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const staged = await records
    .selectFrom('objects')
    .select('id')
    .where('id', '=', id)
    .where('holder', '=', holder)
    .executeTakeFirst();
  return staged !== undefined;
}

const insertPiece = prepareQuery<Insertable<Tables['object_pieces']>, unknown>(
  ['object_id', 'piece', 'size', 'bytes'],
  (records, piece) =>
    records
      .insertInto('object_pieces')
      .values({ ...piece, ...createRandomRowid(records, 'object_pieces') })
      .onConflict((conflict) => conflict.columns(['object_id', 'piece']).doNothing()),
);

/** A piece that is already stored stays as it is: a repeated upload sends the same bytes. */
export async function insertObjectPiece(
  records: Records,
  { objectId, piece, bytes }: { objectId: string; piece: number; bytes: Uint8Array },
): Promise<void> {
  await insertPiece(records, {
    object_id: objectId,
    piece,
    size: bytes.length,
    bytes: padForErasure(bytes),
  });
}

/** Counts the pieces that a holder has staged in all objects. */
export async function countStagedPieces(records: Records, holder: string): Promise<number> {
  const { count } = await records
    .selectFrom('object_pieces')
    .innerJoin('objects', 'objects.id', 'object_pieces.object_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('objects.holder', '=', holder)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the length of an object, or null if a piece is missing. */
export async function computeObjectSize(records: Records, objectId: string): Promise<number | null> {
  const { count, last, size } = await records
    .selectFrom('object_pieces')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.max('piece').as('last'),
      fn.sum<number>('size').as('size'),
    ])
    .where('object_id', '=', objectId)
    .executeTakeFirstOrThrow();
  return count > 0 && count === last + 1 ? size : null;
}

/** Returns false if this holder has not staged the object. The holder is removed from the object. */
export async function bindObject(
  records: Records,
  staged: { readonly id: string; readonly holder: string },
  bound: CaseObjectPlace & { readonly size: number; readonly now: number },
): Promise<boolean> {
  const { caseId, kind, seq, size, now } = bound;
  const { numUpdatedRows } = await records
    .updateTable('objects')
    .set({ case_id: caseId, holder: null, kind, seq, size, kept_at: now })
    .where('id', '=', staged.id)
    .where('holder', '=', staged.holder)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface StoredObject {
  readonly id: string;
  readonly kind: SealedKind;
  readonly seq: number;
  readonly size: number;
  readonly keptAt: number;
}

type ObjectRow = Pick<Selectable<Tables['objects']>, 'id' | 'kind' | 'seq' | 'size' | 'kept_at'>;

const listByCase = prepareQuery<{ readonly caseId: string }, ObjectRow>(['caseId'], (records, { caseId }) =>
  records
    .selectFrom('objects')
    .select(['id', 'kind', 'seq', 'size', 'kept_at'])
    .where('case_id', '=', caseId)
    .orderBy('kept_at')
    .orderBy('kind')
    .orderBy('seq'),
);

const findByPlace = prepareQuery<CaseObjectPlace, Pick<ObjectRow, 'id'>>(
  ['caseId', 'kind', 'seq'],
  (records, { caseId, kind, seq }) =>
    records
      .selectFrom('objects')
      .select('id')
      .where('case_id', '=', caseId)
      .where('kind', '=', kind)
      .where('seq', '=', seq),
);

/** Returns its id, or null if there is nothing at this place. */
export async function findCaseObjectId(records: Records, place: CaseObjectPlace): Promise<string | null> {
  const [row] = await findByPlace(records, place);
  return row?.id ?? null;
}

/** Lists all objects of a case, oldest first. */
export async function listCaseObjects(records: Records, caseId: string): Promise<StoredObject[]> {
  const rows = await listByCase(records, { caseId });
  return rows.map(({ id, kind, seq, size, kept_at: keptAt }) => ({
    id,
    kind: kind as SealedKind,
    seq: seq ?? 0,
    size: size ?? 0,
    keptAt,
  }));
}

const insertRow = prepareInsert('objects');

/** Stores a short object directly in its case, without staging. */
export async function insertObject(
  records: Records,
  { id, caseId, kind, seq, bytes, now }: CaseObjectPlace & { id: string; bytes: Uint8Array; now: number },
): Promise<void> {
  await insertRow(records, { id, case_id: caseId, kind, seq, size: bytes.length, kept_at: now });
  await insertPieces(records, id, bytes);
  if (kind !== 'inquiry.v1') await recordAddition(records, caseId, kind, now);
}

/** Puts other bytes in the place of a short object's; returns false if the case does not have it any more. */
export async function replaceObject(
  records: Records,
  { id, caseId, bytes }: { readonly id: string; readonly caseId: string; readonly bytes: Uint8Array },
): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('objects')
    .set({ size: bytes.length })
    .where('id', '=', id)
    .where('case_id', '=', caseId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await records.deleteFrom('object_pieces').where('object_id', '=', id).execute();
  await insertPieces(records, id, bytes);
  return true;
}

async function insertPieces(records: Records, objectId: string, bytes: Uint8Array): Promise<void> {
  for (let piece = 0, at = 0; at < bytes.length; piece += 1, at += MAX_STORED_PIECE_BYTES)
    await insertObjectPiece(records, {
      objectId,
      piece,
      bytes: bytes.subarray(at, at + MAX_STORED_PIECE_BYTES),
    });
}

type PieceRow = Selectable<Tables['object_pieces']>;

const findPiece = prepareQuery<Pick<PieceRow, 'object_id' | 'piece'>, Pick<PieceRow, 'bytes'>>(
  ['object_id', 'piece'],
  (records, { object_id, piece }) =>
    records
      .selectFrom('object_pieces')
      .select('bytes')
      .where('object_id', '=', object_id)
      .where('piece', '=', piece),
);

export async function findObjectPiece(
  records: Records,
  objectId: string,
  piece: number,
): Promise<Uint8Array | undefined> {
  const [row] = await findPiece(records, { object_id: objectId, piece });
  return row && stripErasurePadding(row.bytes);
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
