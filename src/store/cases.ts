/** Cases: how far each has come and when it is due. What was asked is sealed and lies in objects. */
import type { Insertable, Selectable } from 'kysely';
import type { Records, Tables } from './tables.ts';

export type Case = Selectable<Tables['cases']>;

export async function insertCase(records: Records, row: Insertable<Tables['cases']>): Promise<void> {
  await records.insertInto('cases').values(row).execute();
}

export async function findCaseByLookup(records: Records, lookupHash: string): Promise<Case | undefined> {
  return await records
    .selectFrom('cases')
    .selectAll()
    .where('lookup_hash', '=', lookupHash)
    .executeTakeFirst();
}
