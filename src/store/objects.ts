/** Sealed objects in pieces: staged by whoever may upload, then bound to a place in a case. */
import type { SealedKind } from '#seal/header.ts';
import { padForErasure, stripErasurePadding } from './overflow-bytes.ts';
import type { Records } from './tables.ts';

/** The most that one piece may hold. */
export const MAX_STORED_PIECE_BYTES = 256 * 1024;

export interface CaseObjectPlace {
  readonly caseId: string;
  readonly kind: SealedKind;
  readonly seq: number;
}

interface Staging {
  readonly id: string;
  readonly holder: string;
  readonly now: number;
}

/** False if the object belongs to somebody else or to a case. */
export async function stageObject(records: Records, { id, holder, now }: Staging): Promise<boolean> {
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

/** Keeps what is there already: a piece that comes twice is the same piece. */
export async function insertObjectPiece(
  records: Records,
  { objectId, piece, bytes }: { objectId: string; piece: number; bytes: Uint8Array },
): Promise<void> {
  await records
    .insertInto('object_pieces')
    .values({ object_id: objectId, piece, size: bytes.length, bytes: padForErasure(bytes) })
    .onConflict((conflict) => conflict.columns(['object_id', 'piece']).doNothing())
    .execute();
}

/** How many pieces a holder has staged in all. */
export async function countStagedPieces(records: Records, holder: string): Promise<number> {
  const { count } = await records
    .selectFrom('object_pieces')
    .innerJoin('objects', 'objects.id', 'object_pieces.object_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('objects.holder', '=', holder)
    .executeTakeFirstOrThrow();
  return count;
}

/** The length of an object, or null where a piece in between is missing. */
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

/** False if the object is not staged by this holder. Nothing of the holder stays with the object. */
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

/** Everything of a case, oldest first. */
export async function listCaseObjects(records: Records, caseId: string): Promise<StoredObject[]> {
  const rows = await records
    .selectFrom('objects')
    .select(['id', 'kind', 'seq', 'size', 'kept_at'])
    .where('case_id', '=', caseId)
    .orderBy('kept_at')
    .orderBy('kind')
    .orderBy('seq')
    .execute();
  return rows.map(({ id, kind, seq, size, kept_at: keptAt }) => ({
    id,
    kind: kind as SealedKind,
    seq: seq ?? 0,
    size: size ?? 0,
    keptAt,
  }));
}

/** Keeps something short at its place at once. */
export async function insertObject(
  records: Records,
  { id, caseId, kind, seq, bytes, now }: CaseObjectPlace & { id: string; bytes: Uint8Array; now: number },
): Promise<void> {
  await records
    .insertInto('objects')
    .values({ id, case_id: caseId, kind, seq, size: bytes.length, kept_at: now })
    .execute();
  for (let piece = 0, at = 0; at < bytes.length; piece += 1, at += MAX_STORED_PIECE_BYTES)
    await insertObjectPiece(records, {
      objectId: id,
      piece,
      bytes: bytes.subarray(at, at + MAX_STORED_PIECE_BYTES),
    });
}

export async function findObjectPiece(
  records: Records,
  objectId: string,
  piece: number,
): Promise<Uint8Array | undefined> {
  const row = await records
    .selectFrom('object_pieces')
    .select('bytes')
    .where('object_id', '=', objectId)
    .where('piece', '=', piece)
    .executeTakeFirst();
  return row && stripErasurePadding(row.bytes);
}

/** Whether these very bytes are kept already. */
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

/** Staged objects that no case came for. */
export async function listStaleObjectIds(records: Records, before: number, limit: number): Promise<string[]> {
  const rows = await records
    .selectFrom('objects')
    .select('id')
    .where('case_id', 'is', null)
    .where('kept_at', '<', before)
    .orderBy('kept_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Of an object that found its case meanwhile nothing is touched. */
export async function deleteStagedObject(records: Records, id: string): Promise<void> {
  const staged = records.selectFrom('objects').select('id').where('id', '=', id).where('case_id', 'is', null);
  await records.deleteFrom('object_pieces').where('object_id', 'in', staged).execute();
  await records.deleteFrom('objects').where('id', '=', id).where('case_id', 'is', null).execute();
}

/** A slice at a time, so that a large case does not hold up others. False once nothing is left. */
export async function deleteCaseObjectPieces(
  records: Records,
  caseId: string,
  limit: number,
): Promise<boolean> {
  const some = await records
    .selectFrom('object_pieces')
    .innerJoin('objects', 'objects.id', 'object_pieces.object_id')
    .select(['object_pieces.object_id', 'object_pieces.piece'])
    .where('objects.case_id', '=', caseId)
    .limit(limit)
    .execute();
  for (const { object_id: objectId, piece } of some)
    await records
      .deleteFrom('object_pieces')
      .where('object_id', '=', objectId)
      .where('piece', '=', piece)
      .execute();
  return some.length === limit;
}

export async function deleteCaseObjects(records: Records, caseId: string): Promise<void> {
  await records.deleteFrom('objects').where('case_id', '=', caseId).execute();
}
