/** The command that inspects an installation and says what is wrong and what to do; it changes nothing. */
import { constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRecipientSetAdopted, requireSameRecipientSet } from '#cases/sealing/recipient-set.ts';
import { readSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { type Config, ConfigError, loadConfig } from '#platform/config/config.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { VERSION } from '#platform/config/version.ts';
import { explainDamage } from '#platform/database-codes.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { toErrorTrace } from '#platform/log.ts';
import { countCasesToReseal } from '#store/cases/case-keys.ts';
import { compareWithLastSeen, findLastSeenTime, formatClockAlarm } from '#store/clock-guard.ts';
import { openRecordsReader, type RecordsReader } from '#store/engine/records-reader.ts';
import { toDatabasePath } from '#store/engine/sqlite.ts';
import { createOrphanedKeysError, hasUsedSlots, toShredKeysPath } from '#store/keys/orphaned-keys.ts';
import { countOutbox } from '#store/outbox.ts';
import { createUnfinishedRestoreError, toRestoreFolder } from '#store/restore/unfinished-restore.ts';
import { compareSchema } from '#store/schema/migrate.ts';
import { schemaSteps } from '#store/schema/schema-steps.ts';
import type { Records } from '#store/schema/tables.ts';
import { selectDatabaseTime } from '#store/store.ts';
import {
  inspectBackups,
  inspectClockOffset,
  inspectMail,
  inspectMasterKey,
  inspectSurroundings,
  type Observation,
  observe,
} from '#watch/surroundings.ts';
import { createWaitingLog } from '../cli-services.ts';
import { createCommand } from '../command.ts';
import { explainAccess } from '../terminal/file-access.ts';
import { getIo } from '../terminal/io.ts';
import { formatAge, terminalSafe } from '../terminal/table.ts';
import { inspectBackupFolder } from './backup-folder.ts';
import { inspectConfiguration } from './configuration.ts';
import { inspectRecords } from './records.ts';

const PREFIXES: Readonly<Record<Observation['level'], string>> = {
  fine: '',
  look: 'Warning: ',
  act: 'Error: ',
};
const LOOK_CODE = 1;
const ACT_CODE = 2;

const PRIVATE_FILES = [
  'inquiry-office.db',
  'inquiry-office.db-wal',
  'inquiry-office.db-shm',
  'shred.keys',
  'keys/master.key',
  'keys/desk.key',
  'keys/recovery.key',
];
const OTHERS_MODE = 0o077;
/** A service that has stored no time for this long is not running; longer than any sweep. */
const SILENT_MS = 2 * HOUR_MS;
const MAX_COUNTED_CASES = 1_000;

export const inspectCommand = createCommand({
  usage: 'doctor [--backup DIR [--key FILE]]',
  about: `Check the installation, and report what is wrong and what to do.
Checks the records, the shred keys, their files, the disk, the certificate, the site, the mail server, the last
backup, the public keys, the master key and the clock. Nothing is changed, no e-mail is sent, and the service may be
running. The exit code is 1 after warnings, 2 after errors.`,
  options: [
    ['--backup DIR', 'also check the newest backup in this folder'],
    ['--key FILE', 'a private key that should open it'],
  ],
  work: async ({ backup, key }) => {
    const observations = await listObservations(backup, key);
    const found = observations.filter(({ level }) => level !== 'fine');
    const lines = observations.map(({ level, text }) => `${PREFIXES[level]}${terminalSafe.line(text)}\n`);
    const isUrgent = found.some(({ level }) => level === 'act');
    return {
      text: `${lines.join('')}${found.length === 0 ? 'No problems found.\n' : ''}`,
      json: { version: VERSION, observations },
      fault:
        found.length === 0
          ? undefined
          : new ProgramError(
              found.length === 1 ? 'One thing needs attention.' : `${found.length} things need attention.`,
              isUrgent ? ACT_CODE : LOOK_CODE,
            ),
    };
  },
});

async function listObservations(backup?: string, key?: string): Promise<Observation[]> {
  const version = observe('fine', `This is version ${VERSION}.`);
  try {
    return [...version, ...(await inspectInstallation(loadConfig(getIo().env), backup, key))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const found = error.mistakes.flatMap((each) => observe('act', `The service does not start: ${each}.`));
    return [...version, ...found];
  }
}

async function inspectInstallation(config: Config, backup?: string, key?: string): Promise<Observation[]> {
  const { databaseUrl } = config.store;
  const observations = [
    ...(await inspectDataFolder(config.dataDir, databaseUrl === null)),
    ...(await inspectSurroundings(config, clock)),
    ...(await inspectMail(config)),
    ...(await inspectConfiguration(config, clock.now())),
    ...(backup === undefined ? [] : await inspectBackupFolder(config, backup, { key, now: clock.now() })),
  ];
  const hasRecords = databaseUrl !== null || !explainAccess(toDatabasePath(config.dataDir), constants.R_OK);
  if (!hasRecords) return observations;
  try {
    const reader = await openRecordsReader({ config, clock, log: createWaitingLog() });
    try {
      const comparison = await compareSchema(reader.db, reader.engine, schemaSteps);
      observations.push(...(await inspectRecords(reader, comparison, config.dataDir, clock.now())));
      if (comparison.faults.length === 0 && comparison.missing.length === 0)
        observations.push(...(await inspectCurrentRecords(reader, config, clock.now())));
    } finally {
      await reader.close();
    }
  } catch (error) {
    observations.push({ level: 'act', text: explainFailure(error) });
  }
  return observations;
}

function explainFailure(error: unknown): string {
  if (error instanceof ProgramError) return `${error.message.replace(/\.$/, '')}.`;
  const damage = explainDamage(error);
  if (damage) return `The records ${damage}.`;
  const { error: kind, error_code: code = kind } = toErrorTrace(error);
  return `The records cannot be read (${code}): check the disk (dmesg) and the log of the database.`;
}

/** Requires records whose schema is up to date. */
async function inspectCurrentRecords(
  { db, engine }: RecordsReader,
  config: Config,
  now: number,
): Promise<Observation[]> {
  const databaseTime = await selectDatabaseTime(db, engine);
  const lastSeen = await findLastSeenTime(db);
  const alarm = compareWithLastSeen(now, lastSeen, databaseTime);
  const seenAt = lastSeen?.seen_at ?? now;
  const { dead } = await countOutbox(db, now);
  return [
    ...(await inspectSealingKeys(db, config)),
    ...(await inspectMasterKey(db, config)),
    ...(await inspectBackups(db, config, now)),
    ...(alarm
      ? observe(
          'act',
          `Clock skew: ${formatClockAlarm(alarm)}. Set the clock; if it is right: ${PROGRAM_NAME} clock accept.`,
        )
      : []),
    ...(alarm || databaseTime === null ? [] : inspectClockOffset(databaseTime - now)),
    ...(config.production && !alarm && now - seenAt > SILENT_MS
      ? observe('act', `The service has not run for ${formatAge(now - seenAt)}: start it, or check its log.`)
      : []),
    ...(dead > 0
      ? observe('look', `Some e-mails were given up on (${dead}): ${PROGRAM_NAME} outbox list shows why.`)
      : []),
  ];
}

async function inspectSealingKeys(records: Records, config: Config): Promise<Observation[]> {
  try {
    if (!(await isRecipientSetAdopted(records))) return [];
    const keys = await readSealingKeys(config);
    await requireSameRecipientSet(records, keys);
    const left = await countCasesToReseal(records, keys.set, MAX_COUNTED_CASES);
    if (left === 0) return [];
    return observe(
      'look',
      `Some cases may not be sealed to the current keys (${left}): run ${PROGRAM_NAME} keys reseal --key FILE.`,
    );
  } catch (error) {
    if (error instanceof ProgramError) return observe('act', error.message);
    throw error;
  }
}

async function inspectDataFolder(dataDir: string, hasRecords: boolean): Promise<Observation[]> {
  const fault = explainAccess(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (fault) return hasRecords || !fault.isMissing ? observe('act', fault.text) : [];
  return [
    ...PRIVATE_FILES.flatMap((name) => inspectFile(dataDir, name)),
    ...inspectRemainingDrafts(dataDir),
    ...(hasRecords && existsSync(toRestoreFolder(dataDir))
      ? observe('act', createUnfinishedRestoreError().message)
      : []),
    ...(hasRecords ? await inspectPresence(dataDir) : []),
  ];
}

function inspectFile(dataDir: string, name: string): Observation[] {
  const path = join(dataDir, name);
  const fault = explainAccess(path, constants.R_OK | constants.W_OK);
  if (fault) return fault.isMissing ? [] : observe('act', fault.text);
  const { mode: fullMode, uid } = statSync(path);
  const owner = statSync(dataDir).uid;
  // Created by a command that another user ran, such as root.
  if (uid !== owner)
    return observe(
      'act',
      `${path} belongs to user ${uid}, but its folder belongs to user ${owner}, probably that of the service: chown the file to ${owner}.`,
    );
  const mode = fullMode & 0o777;
  if ((mode & OTHERS_MODE) === 0 || process.platform === 'win32') return [];
  return observe(
    'act',
    `Other users of this machine can use ${path} (${mode.toString(8)}); protect it with chmod 600.`,
  );
}

function inspectRemainingDrafts(dataDir: string): Observation[] {
  const drafts = readdirSync(dataDir).filter((name) => name.endsWith('.draft'));
  return drafts.flatMap((name) =>
    observe(
      'fine',
      `${join(dataDir, name)} was left behind by a killed program; it can be deleted while the service is stopped.`,
    ),
  );
}

async function inspectPresence(dataDir: string): Promise<Observation[]> {
  const path = toDatabasePath(dataDir);
  const fault = explainAccess(path, constants.F_OK);
  if (!fault?.isMissing) return [];
  const hasKeys = await hasUsedSlots(toShredKeysPath(dataDir));
  return observe('act', hasKeys ? createOrphanedKeysError(path).message : fault.text);
}
