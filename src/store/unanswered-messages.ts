/** What buyers wrote and the desk has written nothing after. */
import type { CaseState } from './column-values.ts';
import type { Records } from './tables.ts';

/** In how many cases the buyer wrote last. */
export async function countUnansweredCases(records: Records, states: readonly CaseState[]): Promise<number> {
  const { count } = await selectUnanswered(records, states)
    .select(({ fn }) => fn.count<number | string>('cases.id').distinct().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** When the oldest message came that has no answer; null if there is none. */
export async function findOldestUnansweredMessage(
  records: Records,
  states: readonly CaseState[],
): Promise<number | null> {
  const { oldest } = await selectUnanswered(records, states)
    .select(({ fn }) => fn.min<number | null>('message.kept_at').as('oldest'))
    .executeTakeFirstOrThrow();
  return oldest;
}

function selectUnanswered(records: Records, states: readonly CaseState[]) {
  return records
    .selectFrom('cases')
    .innerJoin('objects as message', (join) =>
      join.onRef('message.case_id', '=', 'cases.id').on('message.kind', '=', 'buyer-message.v1'),
    )
    .where('cases.state', 'in', states)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('objects as answer')
            .select('answer.id')
            .whereRef('answer.case_id', '=', 'cases.id')
            .where('answer.kind', 'in', ['desk-message.v1', 'finding.v1'])
            .whereRef('answer.kept_at', '>', 'message.kept_at'),
        ),
      ),
    );
}
