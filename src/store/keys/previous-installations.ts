/** The pairings that records had before they were restored, so that older backups are still known to belong to them. */

import type { Records } from '../schema/tables.ts';
import type { Pairing } from './shred-keys.ts';

/** Each with the counter of the keys that the restore used. */
export async function listFormerPairings(records: Records): Promise<Pairing[]> {
  return await records.selectFrom('former_pairings').selectAll().orderBy('id').execute();
}

export async function insertFormerPairings(records: Records, pairings: readonly Pairing[]): Promise<void> {
  for (const { id, counter } of pairings)
    await records
      .insertInto('former_pairings')
      .values({ id, counter })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ counter }))
      .execute();
}
