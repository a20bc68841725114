/** Who at the desk has a case: the hash of their public key, in clear. */

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

/** The next of those who have cases, in the order of their hashes; null after the last. */
export async function findNextAssignee(records: Records, after: string): Promise<string | null> {
  const row = await records
    .selectFrom('cases')
    .select('assignee')
    .where('assignee', '>', after)
    .orderBy('assignee')
    .limit(1)
    .executeTakeFirst();
  return row?.assignee ?? null;
}
