/** When the records and the shred keys were last backed up, for those who watch the service. */
import type { Records } from './tables.ts';

export const lastBackupSql = [
  `create table last_backup (
    id smallint not null primary key check (id = 1),
    records_at bigint,
    keys_at bigint
  ) without rowid`,
] as const;

/** Null for what was never backed up. */
export interface LastBackup {
  readonly recordsAt: number | null;
  readonly keysAt: number | null;
}

export async function readLastBackup(records: Records): Promise<LastBackup> {
  const row = await records.selectFrom('last_backup').selectAll().executeTakeFirst();
  return { recordsAt: row?.records_at ?? null, keysAt: row?.keys_at ?? null };
}

export async function recordBackup(records: Records, part: 'records' | 'keys', at: number): Promise<void> {
  const change = part === 'records' ? { records_at: at } : { keys_at: at };
  await records
    .insertInto('last_backup')
    .values({ id: 1, records_at: null, keys_at: null, ...change })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
    .execute();
}
