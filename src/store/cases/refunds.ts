/** Refunds that the desk owes: sealed to its people and the recovery key, and stored until made, even after a purge. */
import type { Selectable } from 'kysely';
import { padForErasure, stripErasurePadding } from '../engine/overflow-bytes.ts';
import { countSelected, deleteBy, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';
import { buildOnHoldFilter } from './cases.ts';

export type RefundRecord = Selectable<Tables['refunds']>;

export async function insertRefund(records: Records, row: Omit<RefundRecord, 'restored'>): Promise<void> {
  await records
    .insertInto('refunds')
    .values({ ...row, restored: 0, sealed: padForErasure(row.sealed) })
    .execute();
}

/** Excludes refunds whose decline can still be taken back. */
function selectDueRefunds(records: Records, now: number) {
  return records
    .selectFrom('refunds')
    .leftJoin('cases', 'cases.id', 'refunds.case_id')
    .where((where) => where.or([where('released_at', 'is', null), where.not(buildOnHoldFilter(now))]));
}

/** Lists refunds after `after` ordered by id, which reveals nothing. With `dueBy`, only those due by then. */
export async function listRefunds(
  records: Records,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
  dueBy = Number.MAX_SAFE_INTEGER,
): Promise<RefundRecord[]> {
  const rows = await selectDueRefunds(records, dueBy)
    .selectAll('refunds')
    .where('refunds.id', '>', after)
    .orderBy('refunds.id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, sealed: stripErasurePadding(row.sealed) }));
}

/** Does nothing if the refund was made meanwhile. */
export async function replaceRefund(
  records: Records,
  { id, sealed }: Pick<RefundRecord, 'id' | 'sealed'>,
): Promise<void> {
  await updateRows(records, 'refunds', { id }, { sealed: padForErasure(sealed) });
}

/** Called after a restore, because each refund may have been made since the backup. */
export async function markRestoredRefunds(records: Records): Promise<void> {
  await records.updateTable('refunds').set({ restored: 1 }).execute();
}

export async function countDueRefunds(records: Records, now: number): Promise<number> {
  return await countSelected(selectDueRefunds(records, now));
}

/** Returns the case of the refund, null if purged; undefined if there is no such refund. */
export async function deleteRefund(
  records: Records,
  id: string,
): Promise<Pick<RefundRecord, 'case_id'> | undefined> {
  return await records.deleteFrom('refunds').where('id', '=', id).returning('case_id').executeTakeFirst();
}

export const deleteCaseRefund = deleteBy('refunds', 'case_id');
