/** Bundle keys: for each `case.key` that was exported, the boxed key that authenticates results; deleted with the case. */
import type { Insertable } from 'kysely';
import type { Records, Tables } from './tables.ts';

/** Of two exports at the same time, the first one wins. */
export async function insertBundleKey(
  records: Records,
  row: Insertable<Tables['bundle_keys']>,
): Promise<void> {
  await records
    .insertInto('bundle_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findBundleKeyBox(
  records: Records,
  caseId: string,
  caseKeyHash: string,
): Promise<Uint8Array | undefined> {
  const row = await records
    .selectFrom('bundle_keys')
    .select('box')
    .where('case_id', '=', caseId)
    .where('case_key_hash', '=', caseKeyHash)
    .executeTakeFirst();
  return row?.box;
}
