/** Inspects a backup folder: how old its files are and, with a private key, whether they open and match. */
import { basename, join } from 'node:path';
import { findBackupTime, listBackupNames } from '#backup/backup-files.ts';
import { type BackupReader, openBackup, readNewestKeys, requireMatchingParts } from '#backup/read-backup.ts';
import { KEPT_KEYS_FILES } from '#cases/ending/retention.ts';
import type { Config } from '#platform/config/config.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { createKeyring } from '#store/keys/keyring.ts';
import { type Observation, observe, readMasterKey } from '#watch/surroundings.ts';
import { readDeskKey } from '../keys/desk-key.ts';
import { formatCount, formatTimeOrDash } from '../terminal/table.ts';

/** The same limit as for the last backup in the records: a single failure is reported. */
const MAX_RECORDS_AGE_MS = 2 * DAY_MS;
/** Error codes of the system: the file itself may be intact. */
const FILE_FAULT = /^E[A-Z]+$/;

export async function inspectBackupFolder(
  config: Config,
  folder: string,
  { key, now }: { readonly key: string | undefined; readonly now: number },
): Promise<Observation[]> {
  const identity = key === undefined ? null : await readDeskKey(key);
  try {
    const [records] = await listBackupNames(folder, 'records');
    const [keys] = await listBackupNames(folder, 'keys');
    if (!records || !keys)
      return observe('act', `${folder} has no backup of the ${records ? 'keys' : 'records'}.`);
    const path = join(folder, records);
    const masterKey = readMasterKey(config);
    if (masterKey === null)
      return observe(
        'act',
        'MASTER_KEY is not set, so it cannot be verified that the backups are genuine: set it, then run this again.',
      );
    const keyring = createKeyring(masterKey);
    if (identity) return await openBoth(config, path, { folder, identity, keyring, now });
    const times = {
      records: await findBackupTime(folder, 'records', now),
      keys: await findBackupTime(folder, 'keys', now),
    };
    return [
      ...observe('fine', `${path} was not opened: add --key FILE to open it.`),
      ...inspectAges(config, folder, times, now),
    ];
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    const message = error.message.replace(/^nothing was restored: /, '');
    const code = readErrorCode(error.cause);
    if (code === 'ENOENT') return observe('act', `The backups cannot be checked: ${message}`);
    if (FILE_FAULT.test(code))
      return observe(
        'act',
        `The backups cannot be checked: ${message}. Run this as the user of the service, and check the permissions and the disk.`,
      );
    return observe(
      'act',
      `The last backup failed its check: ${message}. If neither the key nor the configuration is at fault, make a new backup.`,
    );
  }
}

/** The limit for keys is the one on the privacy page: how long a purged case may still be in a backup. */
function inspectAges(
  { backupHours }: Config,
  folder: string,
  times: Readonly<Record<'records' | 'keys', number | null>>,
  now: number,
): Observation[] {
  const limits = { records: MAX_RECORDS_AGE_MS, keys: KEPT_KEYS_FILES * backupHours * HOUR_MS };
  // Negated, so that NaN is reported: a file name may contain a date that does not exist.
  return (['records', 'keys'] as const)
    .filter((part) => !(Math.abs(now - (times[part] ?? 0)) < limits[part]))
    .flatMap((part) =>
      observe(
        'look',
        `${folder} has no recent backup of the ${part}: check the output of ${PROGRAM_NAME} backup.`,
      ),
    );
}

async function openBoth(
  config: Config,
  path: string,
  { folder, now, ...opener }: Pick<BackupReader, 'identity' | 'keyring'> & { folder: string; now: number },
): Promise<Observation[]> {
  const reader: BackupReader = { ...opener, watch: (_path, sealed) => sealed };
  const records = await openBackup(reader, path, 'records');
  // Reads it to its end, where truncation or alteration shows.
  await Array.fromAsync(records.items, () => null);
  const keys = await readNewestKeys(reader, folder);
  const engine = config.store.databaseUrl === null ? 'sqlite' : 'postgres';
  requireMatchingParts(records.header, keys.header, engine);
  const what = `${basename(path)} of ${formatTimeOrDash(records.header.cutAt)} opens, with ${formatCount(keys.keys.length, 'keys')}`;
  const times = { records: records.header.cutAt, keys: keys.header.cutAt };
  return [...observe('fine', `The last backup, ${what}.`), ...inspectAges(config, folder, times, now)];
}
