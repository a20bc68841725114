/** Counts of what waits for the desk: cases by state, buyers without an answer, contact messages. */
import type { CaseState } from './column-values.ts';
import type { Records } from './tables.ts';

export async function countCasesInState(records: Records, state: CaseState): Promise<number> {
  const { count } = await records
    .selectFrom('cases')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('state', '=', state)
    .where('purging', '=', 0)
    .executeTakeFirstOrThrow();
  return Number(count);
}

interface UnansweredQuery {
  readonly states: readonly CaseState[];
  /** The kind of the buyer's messages. */
  readonly asked: string;
  /** The kinds by which the desk answers. */
  readonly answers: readonly string[];
}

/** Cases in which the buyer wrote last. */
export async function countUnansweredCases(
  records: Records,
  { states, asked, answers }: UnansweredQuery,
): Promise<number> {
  const { count } = await records
    .selectFrom('objects as question')
    .innerJoin('cases', 'cases.id', 'question.case_id')
    .select(({ fn }) => fn.count<number | string>('question.case_id').distinct().as('count'))
    .where('question.kind', '=', asked)
    .where('cases.state', 'in', states)
    .where('cases.purging', '=', 0)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('objects as answer')
            .select('answer.id')
            .whereRef('answer.case_id', '=', 'question.case_id')
            .where('answer.kind', 'in', answers)
            .whereRef('answer.kept_at', '>', 'question.kept_at'),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function countOpenContactMessages(records: Records): Promise<number> {
  const { count } = await records
    .selectFrom('contact_messages')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('done_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}
