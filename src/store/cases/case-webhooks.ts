/** Cases whose client is notified of events, each with the time of the next one. */
import { type Selectable, sql, type Updateable } from 'kysely';
import { castBytes, prepareFind, prepareQuery } from '../engine/prepared.ts';
import { insertIfNew, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type CaseWebhook = Selectable<Tables['case_webhooks']>;

/** An existing row stays as it is. */
export async function upsertCaseWebhook(records: Records, row: CaseWebhook): Promise<void> {
  await insertIfNew(records, 'case_webhooks', row);
}

export interface NewCaseWebhook {
  /** The tag of a client, or any other value if there is none. */
  readonly clientTag: string;
  readonly caseId: string;
  readonly ciphertext: Uint8Array | null;
  readonly toldAt: number;
}

/** Links a new case to the webhook of its client, if there is one. */
export const linkIfWebhook = prepareQuery<NewCaseWebhook, unknown>(
  (records, { clientTag, caseId, ciphertext, toldAt }) =>
    records
      .insertInto('case_webhooks')
      .columns(['case_id', 'client_ciphertext', 'told_at'])
      .expression(
        records
          .selectFrom('webhooks')
          .select([
            sql<string>`cast(${caseId} as text)`.as('case_id'),
            castBytes(records, ciphertext).as('client_ciphertext'),
            sql<number>`cast(${toldAt} as bigint)`.as('told_at'),
          ])
          .where('client_tag', '=', clientTag)
          .where('state', '<>', 'ending'),
      ),
);

export const findCaseWebhook = prepareFind('case_webhooks', 'case_id');

export async function updateCaseWebhook(
  records: Records,
  caseId: string,
  change: Updateable<Tables['case_webhooks']>,
): Promise<void> {
  await updateRows(records, 'case_webhooks', { case_id: caseId }, change);
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
