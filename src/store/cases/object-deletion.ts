/** Deletes objects, in steps if they may be large: staged ones that no case uses, and those of a case. */
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { DAY_MS } from '#platform/durations.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { toRowNumber } from '../engine/row-number.ts';
import { chooseRows, deleteSelected, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';
import { computeAwaitingReply } from './awaiting-reply.ts';

/** Per transaction: deletion overwrites the bytes while all other writers wait. */
export const PIECES_AT_ONCE = 8;

/** For an upload that no case uses. */
export const UPLOAD_LIFETIME_MS = DAY_MS;

/** The time stored with objects that were removed from their case: older than any upload. */
export const DISCARDED_AT = 0;

/** The row numbers of staged objects that were never bound to a case. */
export async function listStaleObjects(records: Records, before: number, limit: number): Promise<number[]> {
  const stale = { case_id: null, kept_at: ['<', before] } as const;
  const query = chooseRows(records, 'objects', stale, { by: 'kept_at', limit });
  return (await query.select('number').execute()).map(({ number }) => number);
}

/** Deletes up to `limit` pieces, then the object if none are left; nothing once it is bound. Returns how many. */
export async function deleteStagedObject(records: Records, number: number, limit: number): Promise<number> {
  const staged = chooseRows(records, 'objects', { number, case_id: null }).select('number');
  const deleted = await deletePieces(records, staged, limit);
  if (deleted === limit) return deleted;
  return deleted + (await deleteSelected(records, 'objects', 'number', staged));
}

export async function deleteUpload(records: Records, id: string, limit: number): Promise<number> {
  const number = toRowNumber(id);
  const own = await chooseRows(records, 'objects', { number, id }).select('id').executeTakeFirst();
  return own ? await deleteStagedObject(records, number, limit) : 0;
}

export interface PurgedObjects {
  readonly id: string;
  /** The uploaders of objects for the case, which may never have become part of it. */
  readonly uploaders: readonly string[];
}

/** Matches all objects that a purge deletes: those of the case and those uploaded for it. */
export function matchPurgedObjects({ id, uploaders }: PurgedObjects): RawBuilder<boolean> {
  return sql`(case_id = ${id} or uploader in (${sql.join(uploaders)}))`;
}

/** Deletes up to `limit` pieces, so that a large case does not block others. */
export async function deleteCaseObjects(
  records: Records,
  purged: PurgedObjects,
  limit: number,
): Promise<void> {
  const objects = records.selectFrom('objects').select('number').where(matchPurgedObjects(purged));
  const deleted = await deletePieces(records, objects, limit);
  const rest = objects.limit(limit - deleted);
  if (deleted < limit) await records.deleteFrom('objects').where('number', 'in', rest).execute();
}

/** Deletes further pieces of these objects; returns how many. */
async function deletePieces(
  records: Records,
  objects: SelectQueryBuilder<Tables, 'objects', { number: number }>,
  limit: number,
): Promise<number> {
  const pieces = records
    .selectFrom('object_pieces')
    .select('number')
    .where('object_number', 'in', objects)
    .limit(limit);
  return await deleteSelected(records, 'object_pieces', 'number', pieces);
}

/** Turns objects of these kinds into unusable uploads, which are deleted in steps because they may be large. */
export async function discardCaseObjects(
  records: Records,
  caseId: string,
  kinds: readonly SealedKind[],
  { isLastOnly = false }: { readonly isLastOnly?: boolean } = {},
): Promise<void> {
  // The last by number, because times are out of order after the clock was set back.
  const last = records
    .selectFrom('objects')
    .select((row) => row.fn.max('seq').as('seq'))
    .where('case_id', '=', caseId)
    .where('kind', 'in', kinds);
  const unbound = { case_id: null, uploader: 'discarded', kind: null, seq: null, size: null, author: null };
  await records
    .updateTable('objects')
    .set({ ...unbound, kept_at: DISCARDED_AT })
    .where('case_id', '=', caseId)
    .where('kind', 'in', kinds)
    .$if(isLastOnly, (query) => query.where('seq', '=', last))
    .execute();
  const changes = computeAwaitingReply(kinds);
  if (changes) await updateRows(records, 'cases', { id: caseId }, changes);
}
