/** Numbers about all cases for the operator, each from an index: they are read again and again. */
import type { CaseState } from '#wire/case-states.ts';
import type { Records } from '../schema/tables.ts';

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
