/** Numbers about all cases for the operator, each from an index: they are read again and again. */
import type { CaseState } from './column-values.ts';
import type { Records } from './tables.ts';

export async function countCasesDueBetween(
  records: Records,
  states: readonly CaseState[],
  { after, before }: { readonly after: number; readonly before: number },
): Promise<number> {
  const { count } = await records
    .selectFrom('cases')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', 'in', states)
    .where('due_at', '>', after)
    .where('due_at', '<=', before)
    .executeTakeFirstOrThrow();
  return count;
}

/** When the oldest message of a buyer was sent that the desk has written nothing after; null if there is none. */
export async function findOldestUnansweredMessage(
  records: Records,
  states: readonly CaseState[],
): Promise<number | null> {
  const { oldest } = await records
    .selectFrom('cases')
    .innerJoin('objects as message', (join) =>
      join.onRef('message.case_id', '=', 'cases.id').on('message.kind', '=', 'buyer-message.v1'),
    )
    .select(({ fn }) => fn.min<number | null>('message.kept_at').as('oldest'))
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
    )
    .executeTakeFirstOrThrow();
  return oldest;
}

/** The earliest time at which a case or a contact message is to be purged, past or future; null if there is none. */
export async function findEarliestPurge(
  records: Records,
  table: 'cases' | 'contact_messages',
): Promise<number | null> {
  const { earliest } = await records
    .selectFrom(table)
    .select(({ fn }) => fn.min<number | null>('purge_at').as('earliest'))
    .where('purge_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return earliest;
}
