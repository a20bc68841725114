/** Tombstones: what remains of a purged case; for a while its words still find the date of the purge. */
import type { Insertable } from 'kysely';
import type { Records, Tables } from '../schema/tables.ts';

export async function insertTombstone(
  records: Records,
  row: Required<Insertable<Tables['tombstones']>>,
): Promise<void> {
  await records
    .insertInto('tombstones')
    .values(row)
    // The same words were used for a second case, which only a custom client can do: keep the later date.
    .onConflict((conflict) =>
      conflict.column('lookup_hash').doUpdateSet({ purged_on: row.purged_on, forget_at: row.forget_at }),
    )
    .execute();
}

/** Returns the date on which the case with these words was purged. */
export async function findPurgeDay(records: Records, lookupHash: string): Promise<string | null> {
  const row = await records
    .selectFrom('tombstones')
    .select('purged_on')
    .where('lookup_hash', '=', lookupHash)
    .executeTakeFirst();
  return row?.purged_on ?? null;
}

/** Returns the number of changed tombstones. */
export async function clearTombstoneLookups(records: Records, now: number, limit: number): Promise<number> {
  const old = records.selectFrom('tombstones').select('id').where('forget_at', '<=', now).limit(limit);
  const { numUpdatedRows } = await records
    .updateTable('tombstones')
    .set({ lookup_hash: null, purged_on: null, forget_at: null })
    .where('id', 'in', old)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
