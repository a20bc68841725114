/** The command that restores a backup into an empty data folder or database. */
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { BackupReader } from '#backup/read-backup.ts';
import { type RestoreReport, type RestoreServices, restoreBackup } from '#backup/restore.ts';
import { ensureFolder } from '#platform/atomic-file.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { type Config, loadConfig } from '#platform/config/config.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { holdFileLock } from '#platform/file-lock.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { loadKeyring, toMasterKeyPath } from '#store/keys/keyring.ts';
import { createCommand, createUsageFailure } from './command.ts';
import { deskKeyOption, readDeskKey } from './keys/desk-key.ts';
import { getIo } from './terminal/io.ts';
import { withProgress } from './terminal/progress.ts';
import { formatCount, formatPairs } from './terminal/table.ts';
import { requireConfirmation } from './terminal/typed-text.ts';

export const restoreCommand = createCommand({
  usage: 'restore --from DIR --key FILE [--records FILE] [--keys FILE] [--yes]',
  about: `Restore a backup into an empty DATA_DIR, or into the empty database that DATABASE_URL names. The service must not be running.
Uses the newest records and the newest shred keys in the folder. MASTER_KEY must be that of the backup.
Cases that were purged after the backup, or are due for purge by now, are purged. If the clock of this machine is more than a day ahead of the backup, you are asked first.
All tokens are revoked. Orders that were unused are put on hold: see orders list --held.`,
  options: [
    ['--from DIR', 'the folder with the backup'],
    deskKeyOption,
    ['--records FILE', 'an older records-TIME-TAG.age'],
    ['--keys FILE', 'older shred keys; cases purged since then would be restored'],
    ['--yes', 'trust the clock of this machine, however far it is ahead of the backup'],
  ],
  work: async ({ from: folder, key, records = null, keys = null, yes = false }) => {
    if (!folder) throw createUsageFailure('--from DIR is missing: the folder with the backup');
    const identity = await readDeskKey(key);
    const config = loadConfig(getIo().env);
    requireMasterKey(config);
    const reader = { keyring: await loadKeyring(config), identity, watch: watchFile };
    const approveClock = yes ? async () => {} : askAboutClock;
    const report = await withRestoreLock(config, () =>
      restoreBackup({ config, clock, reader, approveClock }, { folder, records, keys }),
    );
    return { text: formatRestoreReport(report), json: toRestoreJson(report) };
  },
});

/** Refuses to restore without a master key: a new one could decrypt nothing in the backup. */
function requireMasterKey({ dataDir, store }: Config): void {
  if (store.masterKey !== null || existsSync(toMasterKeyPath(dataDir))) return;
  throw new ProgramError(
    `MASTER_KEY is not set: a restore needs the one of the backup, here or in ${toMasterKeyPath(dataDir)}`,
    EXIT_CODES.config,
  );
}

/** Asks about the clock: one that is ahead would purge cases before their date. */
const askAboutClock: RestoreServices['approveClock'] = async ({ now, keysAt, due }) => {
  const facts = `the clock of this machine shows ${toIsoTime(now)}, and the keys were copied at ${toIsoTime(keysAt)}; due for purge by this clock: ${formatCount(due, 'cases')}`;
  if (!getIo().stdin.isTTY)
    throw new ProgramError(`nothing was restored: ${facts}; use --yes if the clock is right`);
  const question = `${facts}.\nType restore if the clock is right: `;
  await requireConfirmation(question, 'restore', 'nothing was restored');
};

const watchFile: BackupReader['watch'] = (path, sealed) =>
  getIo().stderr.isTTY && existsSync(path)
    ? withProgress(sealed, basename(path), statSync(path).size)
    : sealed;

/**
 * Two restores at once would build in the same folder. PostgreSQL has its own lock. The empty file stays: if it were
 * removed, one restore could lock the old file and another a new one.
 */
async function withRestoreLock<Result>(
  { dataDir, store }: Config,
  work: () => Promise<Result>,
): Promise<Result> {
  if (store.databaseUrl !== null) return await work();
  await ensureFolder(dataDir);
  requireOwnFolder(dataDir);
  using hold = holdFileLock(join(dataDir, 'restore.lock'));
  if (!hold) throw new ProgramError(`another restore into ${dataDir} is running`);
  return await work();
}

/** Refuses root if another user owns the folder: the service could not open files that root restores. */
function requireOwnFolder(dataDir: string): void {
  const { uid } = statSync(dataDir);
  if (process.getuid?.() !== 0 || uid === 0) return;
  throw new ProgramError(
    `${dataDir} belongs to user ${uid}, but the restored files would not: run this as that user (sudo -u '#${uid}' ${PROGRAM_NAME} restore …)`,
    EXIT_CODES.noPermission,
  );
}

function formatRestoreReport(report: RestoreReport): string {
  const { held, purged } = report;
  return formatPairs([
    ['Records of', toIsoTime(report.recordsAt)],
    ['Keys of', toIsoTime(report.keysAt)],
    ['Clock', `${toIsoTime(report.clockAt)} was accepted as correct`],
    ['Cases', `${report.cases} restored`],
    ['Purged', `${purged.since} purged since the records were copied, ${purged.due} due by now`],
    ['Missing', `${formatCount(report.missing, 'cases')} submitted after these records were copied`],
    [
      'Unreadable',
      `${formatCount(report.unreadable, 'cases')} with a key that was already damaged in the backup`,
    ],
    ['Orders', `${report.orders} restored; on hold: ${held.paid} paid, ${held.other} not paid yet`],
    ['Ended', `every token, consent and code; ${formatCount(report.offers, 'offers')} of credentials`],
    [
      'Next',
      'start the service; then orders list --held and orders release; then agents list: changes to agents since the backup are gone',
    ],
  ]);
}

function toRestoreJson({ recordsAt, keysAt, clockAt, ...counts }: RestoreReport) {
  return {
    records_at: toIsoTime(recordsAt),
    keys_at: toIsoTime(keysAt),
    clock_at: toIsoTime(clockAt),
    ...counts,
  };
}
