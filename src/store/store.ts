/** The record store: opens the configured engine, brings its schema up to date, runs transactions. */
import { Kysely, sql } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { ServiceError } from '#platform/errors.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { createLazy } from '#platform/lazy.ts';
import type { Log } from '#platform/log.ts';
import type { DatabaseEngine } from './engine/engine.ts';
import { createCommit, createGroupCommit, type TransactionRunner } from './engine/group-commit.ts';
import { openSqlite, toDatabasePath } from './engine/sqlite.ts';
import { advanceGeneration, settleInstallation } from './keys/installation.ts';
import { explainOtherRecords } from './keys/orphaned-keys.ts';
import type { Installation, ShredKeys } from './keys/shred-keys.ts';
import type { DiskProbe } from './limits/storage-caps.ts';
import { createStorageGate, measureStorageUse, type StorageGate } from './limits/storage-gate.ts';
import { createPeriodicWrite, type PeriodicWrite } from './periodic-write.ts';
import { migrateSchema, requireCurrentSchema } from './schema/migrate.ts';
import { createSchemaCheck } from './schema/schema-fit.ts';
import { schemaSteps } from './schema/schema-steps.ts';
import { STEPS_TABLE } from './schema/schema-tables.ts';
import type { Records, Tables } from './schema/tables.ts';

export interface Store extends PeriodicWrite {
  readonly engine: Pick<DatabaseEngine, 'name' | 'location'>;
  readonly records: Kysely<Tables>;
  readonly shredKeys: ShredKeys;
  /** Overwrites what deleted rows leave in the database files; a later call overwrites what is locked now. */
  readonly erase: () => Promise<void>;
  /** Removes traces of the sequence of payments from the database files. */
  readonly hideRowOrder: () => Promise<void>;
  /** Atomic. The work may run again after a conflict, so it must only run queries. */
  readonly transaction: TransactionRunner;
  /** Joins the same queue without a time limit: for work in the background. */
  readonly patientTransaction: TransactionRunner;
  /** How long the first transaction in the line has waited. */
  readonly readWaitMs: () => number;
  /** The time on the database's own clock; null if that is the clock of this machine. */
  readonly readDatabaseTime: () => Promise<number | null>;
  /** Decides what strangers may still store. */
  readonly gate: StorageGate;
  /** Advances to a generation that no other process uses, and does the work in the same transaction. */
  readonly advanceGeneration: <Result>(
    work: (records: Records, installation: Installation) => Promise<Result>,
  ) => Promise<Result>;
  /** Rejects when the database does not answer. */
  readonly ping: () => Promise<void>;
  /** Names tables and columns that the database should have; empty if all are there. Writes nothing. */
  readonly listMissingColumns: () => Promise<string[]>;
  /** Turns a database failure into an error for the caller; returns undefined for other errors. */
  readonly translate: (error: unknown) => ServiceError | undefined;
  readonly close: () => Promise<void>;
}

interface StoreOptions {
  readonly config: Pick<Config, 'dataDir' | 'store' | 'sweepSeconds'> & Partial<Pick<Config, 'production'>>;
  readonly clock: Clock;
  readonly log: Log;
  /** False for commands: records of an earlier version are refused instead. */
  readonly migrates?: boolean;
  /** How long a transaction waits for its turn; commands wait as long as it takes. */
  readonly maxWaitMs?: number;
  /** Replaces the probe of the disk that holds the database. */
  readonly disk?: DiskProbe;
  /** Set by the restore itself; all others must wait for it. */
  readonly restoring?: boolean;
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { config, log, disk, maxWaitMs = Infinity } = options;
  const engine = await openDatabaseEngine(options);
  const records = new Kysely<Tables>({ dialect: engine.dialect });
  const shredKeys = await openShredKeys(records, engine, options);
  const commit = createCommit(records, engine.mayRetry, shredKeys);
  const groupCommit = createGroupCommit({ commit, shredKeys, ...engine.commits });
  // Not in a group: the generation of the keys may follow only once that of the records is on the disk.
  const advance: Store['advanceGeneration'] = (work) => advanceGeneration({ commit, shredKeys }, work);
  const run = async (statement: string) => void (await sql.raw(statement).execute(records));
  const loadSchemaCheck = createLazy(() => createSchemaCheck({ db: records, engine, steps: schemaSteps }));
  return {
    engine,
    records,
    shredKeys,
    erase: () => engine.erase(run),
    hideRowOrder: () => engine.hideRowOrder(run),
    transaction: groupCommit.createRunner(maxWaitMs),
    patientTransaction: groupCommit.createRunner(Infinity),
    readWaitMs: groupCommit.readWaitMs,
    readDatabaseTime: () => selectDatabaseTime(records, engine),
    gate: createStorageGate({
      measure: (kind) => measureStorageUse(records, kind),
      disk: disk ?? engine.disk,
      log,
    }),
    ...createPeriodicWrite({ ...engine, ...config, records, advance: () => advance(async () => {}) }),
    advanceGeneration: advance,
    ping: async () => void (await sql`select 1 from ${sql.table(STEPS_TABLE)} limit 1`.execute(records)),
    listMissingColumns: async () => await (await loadSchemaCheck())(),
    translate: (error) =>
      engine.isOwnError(error) && (engine.isUnavailable(error) || engine.mayRetry(error))
        ? new ServiceError('storage_unavailable', { cause: error })
        : undefined,
    close: async () => {
      await records.destroy();
      await shredKeys.close();
    },
  };
}

interface EngineOptions extends Pick<StoreOptions, 'log' | 'restoring'> {
  readonly config: Pick<Config, 'dataDir' | 'store'>;
}

export async function openDatabaseEngine({
  config,
  log,
  restoring = false,
}: EngineOptions): Promise<DatabaseEngine> {
  const { databaseUrl } = config.store;
  if (!databaseUrl) return await openSqlite(config.dataDir);
  // Loaded on demand: SQLite does not need it.
  const { openPostgres } = await import('./engine/postgres.ts');
  return await openPostgres({ url: databaseUrl, log, restoring });
}

async function openShredKeys(
  records: Kysely<Tables>,
  engine: DatabaseEngine,
  { config, clock, log, migrates = true }: StoreOptions,
): Promise<ShredKeys> {
  let shredKeys: ShredKeys | undefined;
  try {
    const schema = { db: records, engine, steps: schemaSteps };
    const beforeFirst = () => requireNoOtherRecords(config);
    await (migrates ? migrateSchema({ ...schema, log, beforeFirst }) : requireCurrentSchema(schema));
    shredKeys = await engine.openShredKeys(records, clock);
    const commit = createCommit(records, engine.mayRetry, shredKeys);
    await settleInstallation({ commit, shredKeys });
    return shredKeys;
  } catch (error) {
    await records.destroy();
    await shredKeys?.close();
    throw toProgramError(error, engine);
  }
}

/** A typo in DATABASE_URL would create empty records beside the old ones, and buyers would not find their cases. */
async function requireNoOtherRecords({ dataDir, store, production }: StoreOptions['config']): Promise<void> {
  if (!production || store.databaseUrl === null) return;
  const fault = await explainOtherRecords(dataDir, toDatabasePath(dataDir));
  if (fault !== null) throw new ProgramError(fault, EXIT_CODES.config);
}

/** Null for an engine without a clock of its own. */
export async function selectDatabaseTime(
  records: Kysely<Tables>,
  { timeQuery }: Pick<DatabaseEngine, 'timeQuery'>,
): Promise<number | null> {
  if (timeQuery === null) return null;
  const { rows } = await sql.raw<{ now: number }>(timeQuery).execute(records);
  return rows[0]?.now ?? null;
}

function toProgramError(error: unknown, engine: DatabaseEngine): unknown {
  if (!engine.isUnavailable(error) && !(error instanceof ServiceError)) return error;
  return new ProgramError(
    `${engine.location}: the database cannot be written; is the disk full?`,
    EXIT_CODES.cannotCreate,
    error,
  );
}
