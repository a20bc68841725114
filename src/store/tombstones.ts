/** Tombstones: what stays of a purged case, and for a while the answer to whoever has its words. */
import type { Insertable } from 'kysely';
import type { Records, Tables } from './tables.ts';

export async function insertTombstone(
  records: Records,
  row: Required<Insertable<Tables['tombstones']>>,
): Promise<void> {
  await records
    .insertInto('tombstones')
    .values(row)
    // Words that were used for a second case, which only a program of its own can do: the later day counts.
    .onConflict((conflict) =>
      conflict.column('lookup_hash').doUpdateSet({ purged_on: row.purged_on, forget_at: row.forget_at }),
    )
    .execute();
}

/** The day on which the case of these words was purged. */
export async function findPurgeDay(records: Records, lookupHash: string): Promise<string | null> {
  const row = await records
    .selectFrom('tombstones')
    .select('purged_on')
    .where('lookup_hash', '=', lookupHash)
    .executeTakeFirst();
  return row?.purged_on ?? null;
}

export async function clearTombstoneLookups(records: Records, now: number): Promise<void> {
  await records
    .updateTable('tombstones')
    .set({ lookup_hash: null, purged_on: null, forget_at: null })
    .where('forget_at', '<=', now)
    .execute();
}
