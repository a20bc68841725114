/** Cases whose client is notified of events, each with the time of the next one. */
import { type Selectable, sql } from 'kysely';
import { castBytes, prepareFind, prepareQuery } from '../engine/prepared.ts';
import { deleteRows, insertIfNew, listRows, updateBy } from '../engine/selected-rows.ts';
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
  (records, { clientTag, caseId, ciphertext, toldAt }) => ({
    compile: () =>
      sql`insert into case_webhooks (case_id, client_ciphertext, told_at)
        select cast(${caseId} as text), ${castBytes(records, ciphertext)}, cast(${toldAt} as bigint)
          from webhooks where client_tag = ${clientTag} and state <> 'ending'`.compile(records),
  }),
);

export const findCaseWebhook = prepareFind('case_webhooks', 'case_id');

export const updateCaseWebhook = updateBy('case_webhooks', 'case_id');

/** The earliest first. */
export async function listDueCaseWebhooks(
  records: Records,
  now: number,
  limit: number,
): Promise<CaseWebhook[]> {
  return await listRows(records, 'case_webhooks', { due_at: ['<=', now] }, { by: 'due_at', limit });
}

export async function deleteCaseWebhooks(records: Records, caseIds: readonly string[]): Promise<void> {
  if (caseIds.length > 0) await deleteRows(records, 'case_webhooks', { case_id: ['in', caseIds] });
}
