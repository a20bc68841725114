/** The last time that the service noted in the records, and what an operator accepted of a clock in doubt. */
import { type Selectable, sql } from 'kysely';
import type { Records, Tables } from './schema/tables.ts';
import type { Store } from './store.ts';

export type ClockNote = Selectable<Tables['clock_notes']>;

export async function findClockNote(records: Records): Promise<ClockNote | undefined> {
  return await records.selectFrom('clock_notes').selectAll().where('id', '=', 1).executeTakeFirst();
}

/** Never lowers the note, and leaves one alone that an operator has accepted since `accepted` was read. */
export async function updateClockNote(records: Records, now: number, accepted: number): Promise<void> {
  await records
    .insertInto('clock_notes')
    .values({ id: 1, noted_at: now, accepted: 0, database_behind: 0 })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ noted_at: now })
        .where('clock_notes.noted_at', '<', now)
        .where('clock_notes.accepted', '=', accepted),
    )
    .execute();
}

/** The operator has looked at the clock: its time counts from here, even if the last note was later. */
export async function acceptClock(
  { transaction, readDatabaseTime }: Pick<Store, 'transaction' | 'readDatabaseTime'>,
  now: number,
): Promise<void> {
  const databaseTime = await readDatabaseTime();
  const times = { noted_at: now, database_behind: databaseTime === null ? 0 : now - databaseTime };
  await transaction((records) =>
    records
      .insertInto('clock_notes')
      .values({ id: 1, accepted: 1, ...times })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet({ ...times, accepted: sql`clock_notes.accepted + 1` }),
      )
      .execute(),
  );
}
