/** When the records and the shred keys were last backed up, for those who watch the service. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { findRow, upsertRow } from './engine/selected-rows.ts';
import type { Records } from './schema/tables.ts';

/** A daily backup that failed once is reported. */
const MAX_AGE_MS = 2 * DAY_MS;
/** In multiples of BACKUP_HOURS: one copy of the keys may be late. */
const MAX_KEYS_INTERVALS = 3;

export type LastBackup = Awaited<ReturnType<typeof readLastBackup>>;

/** Null for a part that was never backed up. */
export async function readLastBackup(records: Records) {
  const row = await findRow(records, 'last_backup', { id: 1 });
  return { recordsAt: row?.records_at ?? null, keysAt: row?.keys_at ?? null };
}

export async function recordBackup(records: Records, part: 'records' | 'keys', at: number): Promise<void> {
  const change = part === 'records' ? { records_at: at } : { keys_at: at };
  const row = { id: 1, records_at: null, keys_at: null, ...change } as const;
  await upsertRow(records, 'last_backup', 'id', row, change);
}

/** Null while all is well. An installation that never made a backup may copy its data in other ways. */
export function describeBackupAge(
  { recordsAt, keysAt }: LastBackup,
  now: number,
  backupHours: number,
): string | null {
  if (recordsAt === null) return null;
  if (recordsAt > now + DAY_MS)
    return 'The last backup is dated in the future: the clock was wrong then, or is now.';
  if (now - recordsAt >= MAX_AGE_MS)
    return `The last backup is ${Math.floor((now - recordsAt) / DAY_MS)} days old.`;
  const keysHours = Math.floor((now - (keysAt ?? now)) / HOUR_MS);
  if (keysHours < MAX_KEYS_INTERVALS * backupHours) return null;
  return `The last backup of the shred keys is ${keysHours} hours old: purged cases stay in backups longer than the privacy page says.`;
}
