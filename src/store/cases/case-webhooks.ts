/** Cases whose client is told of events, each with the time of the next one. */
import type { Selectable, Updateable } from 'kysely';
import type { Records, Tables } from '../schema/tables.ts';

export type CaseCallback = Selectable<Tables['case_callbacks']>;

/** A row that is there already stays as it is. */
export async function upsertCaseCallback(records: Records, row: CaseCallback): Promise<void> {
  await records
    .insertInto('case_callbacks')
    .values(row)
    .onConflict((conflict) => conflict.column('case_id').doNothing())
    .execute();
}

export async function findCaseCallback(records: Records, caseId: string): Promise<CaseCallback | undefined> {
  return await records
    .selectFrom('case_callbacks')
    .selectAll()
    .where('case_id', '=', caseId)
    .executeTakeFirst();
}

export async function updateCaseCallback(
  records: Records,
  caseId: string,
  change: Updateable<Tables['case_callbacks']>,
): Promise<void> {
  await records.updateTable('case_callbacks').set(change).where('case_id', '=', caseId).execute();
}

/** The earliest first. */
export async function listDueCaseCallbacks(
  records: Records,
  now: number,
  limit: number,
): Promise<CaseCallback[]> {
  return await records
    .selectFrom('case_callbacks')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();
}

export async function deleteCaseCallbacks(records: Records, caseIds: readonly string[]): Promise<void> {
  if (caseIds.length > 0)
    await records.deleteFrom('case_callbacks').where('case_id', 'in', caseIds).execute();
}
