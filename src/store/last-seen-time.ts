/** The last time that the service saw, and the clock skew that an operator accepted. */
import { type Selectable, sql } from 'kysely';
import { findRow, upsertRow } from './engine/selected-rows.ts';
import type { Records, Tables } from './schema/tables.ts';
import type { Store } from './store.ts';

export type LastSeenTime = Selectable<Tables['last_seen_time']>;

export async function findLastSeenTime(records: Records): Promise<LastSeenTime | undefined> {
  return await findRow(records, 'last_seen_time', { id: 1 });
}

/** Never lowers it, and does nothing if an operator has accepted a time since `accepted` was read. */
export async function updateLastSeenTime(records: Records, now: number, accepted: number): Promise<void> {
  await records
    .insertInto('last_seen_time')
    .values({ id: 1, seen_at: now, accepted: 0, database_behind: 0 })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ seen_at: now })
        .where('last_seen_time.seen_at', '<', now)
        .where('last_seen_time.accepted', '=', accepted),
    )
    .execute();
}

/** Called once an operator has checked the clock: its time becomes the last seen time, even if that was later. */
export async function acceptClock(
  { transaction, readDatabaseTime }: Pick<Store, 'transaction' | 'readDatabaseTime'>,
  now: number,
): Promise<void> {
  const databaseTime = await readDatabaseTime();
  const times = { seen_at: now, database_behind: databaseTime === null ? 0 : now - databaseTime };
  const row = { id: 1, accepted: 1, ...times } as const;
  const change = { ...times, accepted: sql<number>`last_seen_time.accepted + 1` };
  await transaction((records) => upsertRow(records, 'last_seen_time', 'id', row, change));
}
