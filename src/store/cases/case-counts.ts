/** Numbers about all cases for the operator, each from an index because they are read often. */
import type { Selectable } from 'kysely';
import type { CaseState } from '#wire/case-states.ts';
import { chooseRows, countSelected, findLowest, listRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';
import type { Case } from './cases.ts';

export async function countCasesDueBetween(
  records: Records,
  states: readonly CaseState[],
  { after, before }: { readonly after: number; readonly before: number },
): Promise<number> {
  const due = records.selectFrom('cases').where('state', 'in', states).where('due_at', '>', after);
  return await countSelected(due.where('due_at', '<=', before));
}

/** The earliest time at which a case or a contact message is to be purged, past or future; null if there is none. */
export async function findEarliestPurge(
  records: Records,
  table: 'cases' | 'contact_messages',
): Promise<number | null> {
  return await findLowest(records, table, 'purge_at', { purge_at: ['is not', null] });
}

export type CaseCount = Selectable<Tables['case_counts']>;

/** The counts of purged cases. */
export async function listCaseCounts(records: Records, since: string): Promise<CaseCount[]> {
  return await listRows(records, 'case_counts', { period: ['>=', since] });
}

/** The columns of a case that its counts depend on. */
const COUNTED_COLUMNS = [
  'tier',
  'state',
  'submitted_at',
  'due_at',
  'delivered_at',
  'changed_at',
  'released_at',
  'state_on_hold',
  'finding_opened',
] as const satisfies (keyof Case)[];
export type CountedCase = Pick<Case, (typeof COUNTED_COLUMNS)[number]>;

/** Cases that are not purged. A case that has not changed since then belongs to no later period and is left out. */
export async function listCountedCases(records: Records, since: number): Promise<CountedCase[]> {
  const changed = chooseRows(records, 'cases', { changed_at: ['>=', since] });
  return await changed.select(COUNTED_COLUMNS).execute();
}
