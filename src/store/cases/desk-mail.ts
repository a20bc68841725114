/** What the e-mails to the desk report: counts, the lines of a digest, and cases that are due soon or late. */
import type { Selectable } from 'kysely';
import type { CaseState } from '#wire/case-states.ts';
import { prepareInsert } from '../engine/prepared.ts';
import {
  chooseRows,
  countMatching,
  countSelected,
  deleteRows,
  findRow,
  listRows,
  upsertRow,
} from '../engine/selected-rows.ts';
import type { AlertStage } from '../schema/column-values.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type DigestLine = Selectable<Tables['digest_lines']>;

export async function countCasesInState(records: Records, state: CaseState): Promise<number> {
  return await countMatching(records, 'cases', { state, purging: 0 });
}

export async function countOpenContactMessages(records: Records): Promise<number> {
  return await countMatching(records, 'contact_messages', { done_at: null });
}

export const insertDigestLine = prepareInsert('digest_lines');

/** Lists, unordered, the lines that are due by then and in no digest yet. */
export async function listDigestLines(records: Records, dueBy: number): Promise<DigestLine[]> {
  return await listRows(records, 'digest_lines', { due_at: ['<=', dueBy] });
}

/** Deletes the one line of an act that was taken back before it was due. */
export async function deleteDigestLine(records: Records, line: Omit<DigestLine, 'id'>): Promise<void> {
  const alike = chooseRows(records, 'digest_lines', line, { limit: 1 }).select('id');
  await records.deleteFrom('digest_lines').where('id', 'in', alike).execute();
}

export async function deleteDigestLines(records: Records, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await deleteRows(records, 'digest_lines', { id: ['in', ids] });
}

/** Read without a lock first. Returns undefined before the first digest. */
export async function findDigestSlot(records: Records): Promise<number | undefined> {
  return (await findRow(records, 'desk_digests', { id: 1 }))?.slot;
}

export async function updateDigestSlot(records: Records, slot: number): Promise<void> {
  await upsertRow(records, 'desk_digests', 'id', { id: 1, slot }, { slot });
}

interface DueCases {
  readonly stage: AlertStage;
  readonly states: readonly CaseState[];
  /** Cases that are due by then. */
  readonly dueBy: number;
}

function selectCasesToAlert(records: Records, { stage, states, dueBy }: DueCases) {
  // A late case is reported even if it was reported as due, never the other way round.
  const told = stage === 'late' ? (['late'] as const) : (['due', 'late'] as const);
  return records
    .selectFrom('cases')
    .where('state', 'in', states)
    .where('purging', '=', 0)
    .where('due_at', '<=', dueBy)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('case_alerts')
            .select('case_id')
            .whereRef('case_alerts.case_id', '=', 'cases.id')
            .where('stage', 'in', told),
        ),
      ),
    );
}

/** Checked without a lock first, because there is usually nothing to report. */
export async function hasCasesToAlert(records: Records, due: DueCases): Promise<boolean> {
  const found = await selectCasesToAlert(records, due).select('cases.id').limit(1).executeTakeFirst();
  return found !== undefined;
}

/** Returns the number of cases in the e-mail. No other e-mail of this stage includes them. */
export async function recordCaseAlerts(records: Records, emailId: string, due: DueCases): Promise<number> {
  const told = { stage: due.stage, email_id: emailId };
  const rows = await records
    .insertInto('case_alerts')
    .columns(['case_id', 'stage', 'email_id'])
    .expression(
      selectCasesToAlert(records, due).select((row) => [
        'cases.id',
        row.val(due.stage).as('stage'),
        row.val(emailId).as('email_id'),
      ]),
    )
    .onConflict((conflict) => conflict.column('case_id').doUpdateSet(told))
    .returning('case_id')
    .execute();
  return rows.length;
}

/** Counts an e-mail's cases that are still open and in no later e-mail. */
export async function countAlertedCases(
  records: Records,
  emailId: string,
  states: readonly CaseState[],
): Promise<number> {
  const told = records.selectFrom('case_alerts').innerJoin('cases', 'cases.id', 'case_alerts.case_id');
  const open = told.where('state', 'in', states).where('purging', '=', 0);
  return await countSelected(open.where('email_id', '=', emailId));
}
