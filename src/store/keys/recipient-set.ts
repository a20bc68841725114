/** The sealing set: which public keys cases are sealed to, by a tag that every instance must share. */
import type { Insertable, Selectable } from 'kysely';
import { prepareQuery } from '../engine/prepared.ts';
import type { Records, Tables } from '../schema/tables.ts';

type SealingSetRow = Selectable<Tables['sealing_set']>;
export type SealingSet = Pick<SealingSetRow, 'tag' | 'members'>;

const selectSealingSet = prepareQuery<object, SealingSetRow>([], (records) =>
  records.selectFrom('sealing_set').selectAll(),
);

export async function findSealingSet(records: Records): Promise<SealingSetRow | undefined> {
  const [set] = await selectSealingSet(records, {});
  return set;
}

/** Of several first starts, the first one wins. */
export async function insertSealingSet(records: Records, set: SealingSet): Promise<void> {
  await records
    .insertInto('sealing_set')
    .values(toSealingSetRow(set))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns false if the set is no longer the one with the tag `former`. */
export async function replaceSealingSet(records: Records, former: string, set: SealingSet): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('sealing_set')
    .set((row) => ({ ...set, ...(set.tag === former ? {} : { changes: row('changes', '+', 1) }) }))
    .where('tag', '=', former)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function toSealingSetRow(set: SealingSet): Insertable<Tables['sealing_set']> {
  return { id: 1, changes: 0, ...set };
}
