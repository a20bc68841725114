/** Deletes objects, in steps where they may be large: staged ones that no case uses, and those of a case. */
import type { SealedKind } from '#seal/header.ts';
import type { Records } from './tables.ts';
import { recordUnanswered } from './unanswered-messages.ts';

/** Deleted in one transaction: what is deleted is overwritten, and everybody waits meanwhile. */
export const PIECES_AT_ONCE = 8;

/** The time of what was taken out of its case: older than any upload. */
export const DISCARDED_AT = 0;

/** Lists staged objects that were never bound to a case. */
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

/**
 * Deletes up to `limit` pieces and, when none is left, the object; returns how many. Does nothing if the object was bound
 * to a case meanwhile.
 */
export async function deleteStagedObject(records: Records, id: string, limit: number): Promise<number> {
  const pieces = await records
    .selectFrom('object_pieces')
    .innerJoin('objects', 'objects.id', 'object_pieces.object_id')
    .select(['object_pieces.object_id', 'object_pieces.piece'])
    .where('objects.id', '=', id)
    .where('objects.case_id', 'is', null)
    .limit(limit)
    .execute();
  await deletePieces(records, pieces);
  if (pieces.length < limit)
    await records.deleteFrom('objects').where('id', '=', id).where('case_id', 'is', null).execute();
  return pieces.length;
}

/** Deletes up to `limit` pieces, so that a large case does not block others. Returns false once none are left. */
export async function deleteCaseObjectPieces(
  records: Records,
  caseId: string,
  limit: number,
): Promise<boolean> {
  const pieces = await records
    .selectFrom('object_pieces')
    .innerJoin('objects', 'objects.id', 'object_pieces.object_id')
    .select(['object_pieces.object_id', 'object_pieces.piece'])
    .where('objects.case_id', '=', caseId)
    .limit(limit)
    .execute();
  await deletePieces(records, pieces);
  return pieces.length === limit;
}

async function deletePieces(
  records: Records,
  pieces: readonly { readonly object_id: string; readonly piece: number }[],
): Promise<void> {
  for (const { object_id: objectId, piece } of pieces)
    await records
      .deleteFrom('object_pieces')
      .where('object_id', '=', objectId)
      .where('piece', '=', piece)
      .execute();
}

/** Takes everything of these kinds out of the case. It may be large: as uploads that nobody can use it is deleted in steps. */
export async function discardCaseObjects(
  records: Records,
  caseId: string,
  kinds: readonly SealedKind[],
): Promise<void> {
  await records
    .updateTable('objects')
    .set({ case_id: null, holder: 'discarded', kind: null, seq: null, size: null, kept_at: DISCARDED_AT })
    .where('case_id', '=', caseId)
    .where('kind', 'in', kinds)
    .execute();
  await recordUnanswered(records, caseId, kinds);
}

export async function deleteCaseObjects(records: Records, caseId: string): Promise<void> {
  await records.deleteFrom('objects').where('case_id', '=', caseId).execute();
}
