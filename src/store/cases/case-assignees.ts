/** Who at the desk has a case: the hash of their public key, in clear. */

import type { Records } from '../schema/tables.ts';
import type { Case } from './cases.ts';

/** Returns undefined if another change was quicker, or the case is being purged. Locks the case for the transaction. */
export async function updateHolderIfUnchanged(
  records: Records,
  { id, holder }: Pick<Case, 'id' | 'holder'>,
  next: string | null,
  now: number,
): Promise<Case | undefined> {
  return await records
    .updateTable('cases')
    .set({
      holder: next,
      changed_at: now,
      ...(holder !== null && next !== null && holder !== next && { taken_from: holder }),
    })
    .where('id', '=', id)
    .where('holder', holder === null ? 'is' : '=', holder)
    .where('purging', '=', 0)
    .returningAll()
    .executeTakeFirst();
}

/** The next of those who have cases, in the order of their hashes; null after the last. */
export async function findNextHolder(records: Records, after: string): Promise<string | null> {
  const row = await records
    .selectFrom('cases')
    .select('holder')
    .where('holder', '>', after)
    .orderBy('holder')
    .limit(1)
    .executeTakeFirst();
  return row?.holder ?? null;
}
