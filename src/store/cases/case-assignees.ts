/** Who at the desk has a case: the hash of their public key, in clear. */
import { sql } from 'kysely';
import type { Records } from '../schema/tables.ts';
import type { Case } from './cases.ts';

export interface NextAssignee {
  readonly assignee: string | null;
  /** Who hands it over; without one, the assignee took it. */
  readonly handedBy?: string;
}

/** Returns undefined if another change was quicker, or the case is being purged. Locks the case for the transaction. */
export async function updateAssigneeIfUnchanged(
  records: Records,
  { id, assignee }: Pick<Case, 'id' | 'assignee'>,
  { assignee: next, handedBy }: NextAssignee,
  now: number,
): Promise<Case | undefined> {
  return await records
    .updateTable('cases')
    .set({
      assignee: next,
      changed_at: now,
      ...(assignee !== next && { handed_by: handedBy ?? null }),
      ...(assignee !== null && next !== null && assignee !== next && { taken_from: assignee }),
    })
    .where('id', '=', id)
    .where('assignee', assignee === null ? 'is' : '=', assignee)
    .where('purging', '=', 0)
    .returningAll()
    .executeTakeFirst();
}

/** All who ever had a case that is still there, in as many steps along the index. */
export async function listAssignees(records: Records): Promise<string[]> {
  const { rows } = await sql<{ assignee: string }>`select assignee from (
    with recursive known (assignee) as (
      select min(assignee) from cases where assignee is not null
      union all
      select (select min(assignee) from cases where assignee > known.assignee) from known
        where known.assignee is not null
    ) select assignee from known) as people where assignee is not null`.execute(records);
  return rows.map(({ assignee }) => assignee);
}
