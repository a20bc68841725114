/** Which open cases the desk was notified of as due soon or late, and by which e-mail. */
import type { CaseState } from '#wire/case-states.ts';
import { countSelected } from '../engine/selected-rows.ts';
import type { AlertStage } from '../schema/column-values.ts';
import type { Records } from '../schema/tables.ts';

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
