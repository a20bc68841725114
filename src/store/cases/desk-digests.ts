/** What a digest needs: the half day of the last, so that each is written once by all instances together, and its lines. */
import type { Selectable } from 'kysely';
import type { Records, Tables } from '../schema/tables.ts';

export type DigestLine = Selectable<Tables['digest_lines']>;

export async function insertDigestLine(records: Records, line: DigestLine): Promise<void> {
  await records.insertInto('digest_lines').values(line).execute();
}

/** What no digest has told yet, in no order. */
export async function listDigestLines(records: Records): Promise<DigestLine[]> {
  return await records.selectFrom('digest_lines').selectAll().execute();
}

export async function deleteDigestLines(records: Records, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await records.deleteFrom('digest_lines').where('id', 'in', ids).execute();
}

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
