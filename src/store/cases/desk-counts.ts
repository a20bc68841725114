/** Counts of what waits for the desk: cases by state, contact messages. */
import type { CaseState } from '#wire/case-states.ts';
import type { Records } from '../schema/tables.ts';

export async function countCasesInState(records: Records, state: CaseState): Promise<number> {
  const { count } = await records
    .selectFrom('cases')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('state', '=', state)
    .where('purging', '=', 0)
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
