/** Remembers the half day of the last digest, so that each is written once by all instances together. */
import type { Records } from './tables.ts';

/** Asked without a lock first. Returns undefined before the first. */
export async function findDigestSlot(records: Records): Promise<number | undefined> {
  const row = await records.selectFrom('desk_digests').select('slot').executeTakeFirst();
  return row?.slot;
}

export async function updateDigestSlot(records: Records, slot: number): Promise<void> {
  await records
    .insertInto('desk_digests')
    .values({ id: 1, slot })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ slot }))
    .execute();
}
