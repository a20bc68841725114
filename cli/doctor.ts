/** The command that looks at a data folder or database and says what is wrong; it changes nothing. */
import { constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRecipientSetAdopted, requireSameRecipientSet } from '#cases/sealing/recipient-set.ts';
import { readSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { type Config, loadConfig } from '#platform/config/config.ts';
import { explainReleaseAge } from '#platform/config/release-age.ts';
import { VERSION } from '#platform/config/version.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { toErrorTrace } from '#platform/log.ts';
import { listCasesWithoutKey } from '#store/cases/key-inspection.ts';
import { compareWithLastSeen } from '#store/clock-guard.ts';
import { formatClockAlarm } from '#store/clock-skew-text.ts';
import { openRecordsReader, type RecordsReader } from '#store/engine/records-reader.ts';
import { toDatabasePath } from '#store/engine/sqlite.ts';
import { explainMismatch, readRecordsInstallation } from '#store/keys/installation.ts';
import { listMasterKeys, MASTER_KEY_REFUSALS } from '#store/keys/master-keys.ts';
import { createOrphanedKeysError, hasUsedSlots } from '#store/keys/orphaned-keys.ts';
import type { ShredKeyState } from '#store/keys/shred-keys.ts';
import { findLastSeenTime } from '#store/last-seen-time.ts';
import { createUnfinishedRestoreError, toRestoreFolder } from '#store/restore/unfinished-restore.ts';
import { createSchemaCheck, listPresentColumns } from '#store/schema/schema-fit.ts';
import { schemaSteps } from '#store/schema/schema-steps.ts';
import { compareSchema } from '#store/schema/schema-version.ts';
import type { Records } from '#store/schema/tables.ts';
import { createWaitingLog } from './cli-services.ts';
import { createCommand } from './command.ts';
import { explainAccess } from './terminal/file-access.ts';
import { getIo } from './terminal/io.ts';
import { formatAge, terminalSafe } from './terminal/table.ts';

/** One thing that the doctor saw, as a sentence. */
interface Observation {
  readonly isWrong: boolean;
  readonly text: string;
}

/** How many ids are shown of each kind. */
const MAX_SHOWN_IDS = 10;
/** A sweep that is late by this much is not just busy. */
const PURGE_LAG_MS = HOUR_MS;

const keySentences: Record<Exclude<ShredKeyState, 'present'>, string> = {
  freed:
    'Cases whose shred key was destroyed, because they were purged after this copy of the records was made',
  missing: 'Cases that have no shred key and cannot be opened',
  damaged: 'Cases whose key is damaged, so that they cannot be opened',
};

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
/** Written before a file was renamed into its place. */
const DRAFT_FILE = /\.draft$/;

export const inspectCommand = createCommand({
  usage: 'doctor',
  about: `Check the records, the shred keys, their files, the public keys and the clock, and report what is wrong.
No key is needed, and MASTER_KEY is not read.
Nothing is changed. The exit code is 1 if something is wrong. The service may be running.`,
  options: {},
  operands: 0,
  work: async () => {
    const observations = await listObservations();
    const wrong = observations.filter(({ isWrong }) => isWrong).length;
    const lines = observations.map(
      ({ isWrong, text }) => `${isWrong ? 'Wrong: ' : ''}${terminalSafe.line(text)}\n`,
    );
    return {
      text: `${lines.join('')}${wrong === 0 ? 'All is well.\n' : ''}`,
      json: {
        version: VERSION,
        observations: observations.map(({ isWrong, text }) => ({ wrong: isWrong, text })),
      },
      ...(wrong > 0 && {
        fault: new ProgramError(
          wrong === 1 ? 'One thing is wrong.' : `${wrong} things are wrong.`,
          EXIT_CODES.failure,
        ),
      }),
    };
  },
});

async function listObservations(): Promise<Observation[]> {
  const config = loadConfig(getIo().env);
  const { databaseUrl } = config.store;
  const observations: Observation[] = [{ isWrong: false, text: `This is version ${VERSION}.` }];
  const age = explainReleaseAge(clock.now());
  if (age !== null) observations.push({ isWrong: false, text: age });
  observations.push(...(await inspectDataFolder(config.dataDir, databaseUrl === null)));
  if (databaseUrl === null && !hasReadableRecords(config.dataDir)) return observations;
  try {
    const reader = await openRecordsReader({ config, clock, log: createWaitingLog() });
    try {
      observations.push(...(await inspectRecords(reader, clock.now())));
      if (await isUpToDate(reader))
        observations.push(...(await inspectConfiguration(reader.db, config, clock.now())));
    } finally {
      await reader.close();
    }
  } catch (error) {
    observations.push({ isWrong: true, text: explainFailure(error) });
  }
  return observations;
}

function explainFailure(error: unknown): string {
  if (error instanceof ProgramError) return error.message;
  const { error: kind, error_code: code = kind } = toErrorTrace(error);
  return `The records cannot be read (${code}).`;
}

/** For records whose schema is up to date. */
async function inspectConfiguration(records: Records, config: Config, now: number): Promise<Observation[]> {
  const alarm = compareWithLastSeen(now, await findLastSeenTime(records));
  return [
    ...(await inspectSealingKeys(records, config)),
    ...(alarm ? [{ isWrong: true, text: `Clock skew: ${formatClockAlarm(alarm)}.` }] : []),
  ];
}

async function inspectSealingKeys(records: Records, config: Config): Promise<Observation[]> {
  try {
    if (await isRecipientSetAdopted(records))
      await requireSameRecipientSet(records, await readSealingKeys(config));
    return [];
  } catch (error) {
    if (error instanceof ProgramError) return [{ isWrong: true, text: error.message }];
    throw error;
  }
}

async function inspectDataFolder(dataDir: string, hasRecords: boolean): Promise<Observation[]> {
  const fault = explainAccess(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (fault) return hasRecords || !fault.isMissing ? [{ isWrong: true, text: fault.text }] : [];
  return [
    ...PRIVATE_FILES.flatMap((name) => inspectFile(join(dataDir, name))),
    ...inspectRemainingDrafts(dataDir),
    ...(hasRecords ? inspectRestore(dataDir) : []),
    ...(hasRecords ? await inspectPresence(dataDir) : []),
  ];
}

function hasReadableRecords(dataDir: string): boolean {
  return explainAccess(toDatabasePath(dataDir), constants.R_OK) === null;
}

function inspectRestore(dataDir: string): Observation[] {
  return existsSync(toRestoreFolder(dataDir))
    ? [{ isWrong: true, text: createUnfinishedRestoreError().message }]
    : [];
}

function inspectFile(path: string): Observation[] {
  const fault = explainAccess(path, constants.R_OK | constants.W_OK);
  if (fault) return fault.isMissing ? [] : [{ isWrong: true, text: fault.text }];
  const mode = statSync(path).mode & 0o777;
  if ((mode & OTHERS_MODE) === 0 || process.platform === 'win32') return [];
  return [
    {
      isWrong: true,
      text: `Other users of this machine may use ${path} (${mode.toString(8)}); chmod 600 it.`,
    },
  ];
}

function inspectRemainingDrafts(dataDir: string): Observation[] {
  return readdirSync(dataDir)
    .filter((name) => DRAFT_FILE.test(name))
    .map((name) => ({
      isWrong: false,
      text: `${join(dataDir, name)} was left behind by a killed program; it can be deleted while the service is stopped.`,
    }));
}

async function inspectPresence(dataDir: string): Promise<Observation[]> {
  const path = toDatabasePath(dataDir);
  const fault = explainAccess(path, constants.F_OK);
  if (!fault?.isMissing) return [];
  const hasKeys = await hasUsedSlots(join(dataDir, 'shred.keys'));
  return [{ isWrong: true, text: hasKeys ? createOrphanedKeysError(path).message : fault.text }];
}

async function isUpToDate({ db, engine }: RecordsReader): Promise<boolean> {
  const { faults, missing } = await compareSchema(db, engine, schemaSteps);
  return faults.length === 0 && missing.length === 0;
}

async function inspectRecords(reader: RecordsReader, now: number): Promise<Observation[]> {
  const { db, engine } = reader;
  const comparison = await compareSchema(db, engine, schemaSteps);
  const { applied, faults, missing } = comparison;
  const observations: Observation[] = [
    {
      isWrong: false,
      text: `The records (${engine.location}) have ${applied.length} of ${schemaSteps.length} schema steps.`,
    },
    ...faults.map((fault) => ({ isWrong: true, text: `This does not fit: ${fault}.` })),
  ];
  if (missing.length > 0 && faults.length === 0)
    observations.push({ isWrong: false, text: 'The next start of the service brings them up to date.' });
  if (applied.length === 0) return observations;
  const steps = schemaSteps.filter(({ name }) => applied.includes(name));
  const lost = faults.length > 0 ? [] : await (await createSchemaCheck({ db, engine, steps }))();
  if (lost.length > 0)
    observations.push({ isWrong: true, text: `The records lack what their steps make: ${lost.join(', ')}.` });
  const columns = new Set(await listPresentColumns(db, engine.name));
  return [
    ...observations,
    ...(await inspectInstallation(reader, columns)),
    ...(await inspectMasterKeys(reader, columns)),
    ...(await inspectShredKeys(reader, columns)),
    ...(await inspectPurges(reader, columns, now)),
  ];
}

async function inspectInstallation(
  { db, engine, shredKeys }: RecordsReader,
  columns: ReadonlySet<string>,
): Promise<Observation[]> {
  if (!columns.has('records_installation.generation')) return [];
  const hasKeys = engine.name === 'sqlite' || columns.has('shred_installation.generation');
  // Keys first: a service that moves both on meanwhile leaves the records ahead, as they may be.
  const keys = hasKeys && shredKeys ? await shredKeys.readInstallation(db) : null;
  const sides = { keys, records: await readRecordsInstallation(db) };
  const mismatch = explainMismatch(sides);
  if (mismatch)
    return [{ isWrong: true, text: `Records and shred keys do not belong together: ${mismatch}.` }];
  if (sides.records === null)
    return [
      {
        isWrong: false,
        text: 'Records and shred keys have no installation id yet; the next start of the service makes one.',
      },
    ];
  return [{ isWrong: false, text: 'Records and shred keys belong together.' }];
}

async function inspectMasterKeys(
  { db }: RecordsReader,
  columns: ReadonlySet<string>,
): Promise<Observation[]> {
  if (!columns.has('master_keys.sealed_at') || (await listMasterKeys(db)).length < 2) return [];
  return [{ isWrong: true, text: `The service does not start: ${MASTER_KEY_REFUSALS.unfinished}.` }];
}

async function inspectShredKeys(
  { db, engine, shredKeys }: RecordsReader,
  columns: ReadonlySet<string>,
): Promise<Observation[]> {
  const isKnown =
    columns.has('case_keys.ciphertext') && (engine.name === 'sqlite' || columns.has('shred_keys.key'));
  if (!isKnown || !shredKeys) return [];
  const ids = { freed: [] as string[], missing: [] as string[], damaged: [] as string[] };
  for await (const { id, state } of listCasesWithoutKey(db, shredKeys)) {
    const query = db.selectFrom('cases').select('id').where('id', '=', id).where('purging', '=', 0);
    // A purge may have come in between.
    if (await query.executeTakeFirst()) ids[state].push(id);
  }
  return Object.entries(keySentences).flatMap(([state, sentence]) => {
    const found = ids[state as keyof typeof ids];
    if (found.length === 0) return [];
    const more = found.length > MAX_SHOWN_IDS ? ' …' : '';
    return [
      {
        isWrong: true,
        text: `${sentence} (${found.length}): ${found.slice(0, MAX_SHOWN_IDS).join(' ')}${more}`,
      },
    ];
  });
}

async function inspectPurges(
  { db }: RecordsReader,
  columns: ReadonlySet<string>,
  now: number,
): Promise<Observation[]> {
  if (!columns.has('cases.purge_at')) return [];
  const { count, oldest } = await db
    .selectFrom('cases')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('purge_at').as('oldest')])
    .where('purge_at', '<', now - PURGE_LAG_MS)
    .executeTakeFirstOrThrow();
  if (count === 0) return [];
  const age = formatAge(now - Number(oldest));
  return [
    {
      isWrong: true,
      text: `Cases past their purge date (${count}), the first by ${age}: the service does not run, or cannot purge; see its log.`,
    },
  ];
}
