/** The command that backs up records and shred keys while the service runs. */
import { type BackupFile, findBackupTime, requireBackupFolder } from '#backup/backup-files.ts';
import {
  type BackupTarget,
  type KeysBackup,
  type RecordsBackup,
  writeKeysBackup,
  writeRecordsBackup,
} from '#backup/write-backup.ts';
import { KEPT_KEYS_FILES } from '#cases/ending/retention.ts';
import { loadSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { loadConfig } from '#platform/config/config.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { isAgeRecipient } from '#seal/core/age.ts';
import { formatFileSize } from '#seal/form/inquiry-text.ts';
import { readLastBackup } from '#store/last-backup.ts';
import { type CliServices, withStoreAndKeyring } from './cli-services.ts';
import { createCommand, createUsageFailure } from './command.ts';
import { getIo } from './terminal/io.ts';
import { withProgress } from './terminal/progress.ts';
import { formatCount } from './terminal/table.ts';

/** Shorter than a day, so that the records are not backed up a little later every day. */
const RECORDS_INTERVAL_MS = DAY_MS - HOUR_MS / 2;

export const backUpCommand = createCommand({
  usage: 'backup --to DIR [--hourly] [--recipient KEY …]',
  about: `Back up the records and the shred keys to a folder while the service runs.
Writes records-TIME-TAG.age, which you must delete within a month, then keys-TIME-TAG.age, of which only the ${KEPT_KEYS_FILES} newest are retained:
once the keys have been backed up twice after a purge, no backup can open the purged case.
TAG identifies this installation: a folder with keys of another installation is refused.
Both files are sealed to the desk unless --recipient is used. Neither contains MASTER_KEY: store it elsewhere.`,
  options: [
    ['--to DIR', 'the folder, which must exist'],
    [
      '--hourly',
      'for an hourly job: back up the records only if the folder has no backup of them from the last day',
    ],
    [
      '--recipient KEY',
      'a public key (age1pq1…) to seal to instead of those of the desk; may be repeated',
      'repeated',
    ],
  ],
  work: async ({ to: folder, hourly = false, recipient = [] }) => {
    if (!folder) throw createUsageFailure('--to DIR is missing: the folder for the backup');
    if (!recipient.every(isAgeRecipient))
      throw createUsageFailure('--recipient takes a public key: age1pq1…');
    const config = loadConfig(getIo().env);
    await requireBackupFolder(folder);
    return await withStoreAndKeyring(async (services) => {
      const recipients = recipient.length > 0 ? recipient : (await loadSealingKeys(config)).desk;
      const target = { folder, recipients, watch: watchRecords };
      const isFresh = hourly && (await hasFreshRecords(services, folder));
      const records = isFresh ? null : await writeRecordsBackup(services, config, target);
      const keys = await writeKeysBackup(services, target);
      return { text: formatBackupLine(records, keys), json: toBackupJson(records, keys) };
    });
  },
});

/** Checks the folder too: the last backup may be elsewhere; after a restore, files may be newer than the records. */
async function hasFreshRecords({ clock, store }: CliServices, folder: string): Promise<boolean> {
  const now = clock.now();
  const { recordsAt } = await readLastBackup(store.records);
  return [recordsAt, await findBackupTime(folder, 'records', now)].every(
    (at) => at !== null && at <= now && now - at < RECORDS_INTERVAL_MS,
  );
}

/** Only on a terminal: cron mails whatever is printed. */
const watchRecords: BackupTarget['watch'] = (plain, bytes) =>
  getIo().stderr.isTTY ? withProgress(ReadableStream.from(plain), 'records', bytes) : plain;

function formatBackupLine(records: RecordsBackup | null, keys: KeysBackup): string {
  const parts = [
    ...(records
      ? [`${records.name} (${formatCount(records.cases, 'cases')}, ${formatFileSize(records.bytes)})`]
      : []),
    `${keys.name} (${formatCount(keys.keys, 'keys')}, ${formatFileSize(keys.bytes)})`,
  ];
  return `Backed up: ${parts.join(', ')}.\n`;
}

function toBackupJson(records: RecordsBackup | null, keys: KeysBackup) {
  const toFileJson = ({ name, bytes, hash }: BackupFile) => ({ file: name, bytes, sha256: hash });
  return {
    records: records && { ...toFileJson(records), cases: records.cases },
    keys: { ...toFileJson(keys), keys: keys.keys, kept: keys.kept },
  };
}
