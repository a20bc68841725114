/** Who at the desk has a case: the hash of their public key, in clear. */
import { sql } from 'kysely';
import type { Records } from '../schema/tables.ts';

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
