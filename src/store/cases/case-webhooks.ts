/** Cases whose client is told of events, each with the time of the next one. */
import type { Selectable, Updateable } from 'kysely';
import type { Records, Tables } from '../schema/tables.ts';

export type CaseWebhook = Selectable<Tables['case_webhooks']>;

/** A row that is there already stays as it is. */
export async function upsertCaseWebhook(records: Records, row: CaseWebhook): Promise<void> {
  await records
    .insertInto('case_webhooks')
    .values(row)
    .onConflict((conflict) => conflict.column('case_id').doNothing())
    .execute();
}

export async function findCaseWebhook(records: Records, caseId: string): Promise<CaseWebhook | undefined> {
  return await records
    .selectFrom('case_webhooks')
    .selectAll()
    .where('case_id', '=', caseId)
    .executeTakeFirst();
}

export async function updateCaseWebhook(
  records: Records,
  caseId: string,
  change: Updateable<Tables['case_webhooks']>,
): Promise<void> {
  await records.updateTable('case_webhooks').set(change).where('case_id', '=', caseId).execute();
}

/** The earliest first. */
export async function listDueCaseWebhooks(
  records: Records,
  now: number,
  limit: number,
): Promise<CaseWebhook[]> {
  return await records
    .selectFrom('case_webhooks')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();
}

export async function deleteCaseWebhooks(records: Records, caseIds: readonly string[]): Promise<void> {
  if (caseIds.length > 0) await records.deleteFrom('case_webhooks').where('case_id', 'in', caseIds).execute();
}
