/** The SQLite engine: files configured so that an acknowledged write survives a power cut. */
import { once } from 'node:events';
import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Dialect } from 'kysely';
import { ensureFolder } from '#platform/atomic-file.ts';
import { getThreadOptions } from '#platform/cache-folder.ts';
import { DAMAGE_ADVICE, explainDamage, formatEngineCode } from '#platform/database-codes.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { createMismatch, readInstallation } from '../keys/installation.ts';
import { openKeySlots, writeSlotCopies } from '../keys/key-slots.ts';
import { requireNoOrphanedKeys, toShredKeysPath } from '../keys/orphaned-keys.ts';
import { type DiskProbe, measureDisk } from '../limits/storage-caps.ts';
import { requireNoUnfinishedRestore } from '../restore/unfinished-restore.ts';
import type { Records } from '../schema/tables.ts';
import type { DatabaseEngine } from './engine.ts';
import { createCommit } from './group-commit.ts';
import { createSqliteDialect, LOCK_WAIT_MS, type SqliteFiles } from './sqlite-dialect.ts';

/** Moving a longer log and freeing its space takes tens of milliseconds; starting a thread takes less. */
const LONG_LOG_BYTES = 3 * 1024 * 1024;

/** Result codes (sqlite.org/rescode.html); an extended code has the primary code in its low byte. */
const SQLITE = { busy: 5, locked: 6, readonly: 8, ioError: 10, corrupt: 11, full: 13, cantOpen: 14 } as const;
const RETRYABLE: readonly number[] = [SQLITE.busy, SQLITE.locked];
const UNAVAILABLE: readonly number[] = [
  ...RETRYABLE,
  SQLITE.readonly,
  SQLITE.ioError,
  SQLITE.full,
  SQLITE.cantOpen,
];

/** A full group blocks the event loop for some tens of milliseconds. */
const MAX_GROUP = 64;
/** Ids are random, so each write touches other pages of each index. */
const CACHE_KIB = 16 * 1024;
/** Moves the write-ahead log into the database, which overwrites deleted rows, and empties the log. */
const CHECKPOINT = 'pragma wal_checkpoint(truncate)';

export function toDatabasePath(dataDir: string): string {
  return join(dataDir, 'inquiry-office.db');
}

export async function openSqlite(dataDir: string): Promise<DatabaseEngine> {
  await ensureFolder(dataDir);
  requireNoUnfinishedRestore(dataDir);
  const path = toDatabasePath(dataDir);
  await requireNoOrphanedKeys(dataDir, path);
  const files = openDatabase(path);
  const dialect = createSqliteDialect(files);
  const mayRetry = (error: unknown) => RETRYABLE.includes(getResultCode(error));
  return {
    name: 'sqlite',
    location: path,
    dialect,
    openShredKeys: async (records, clock) => {
      files.writer.enableDefensive(true);
      const keys = toShredKeysPath(dataDir);
      if (!existsSync(keys))
        await createCommit(records, mayRetry)((locked) => createMissingSlots(keys, locked));
      return await openKeySlots(keys, clock);
    },
    writeShredKeys: (_, copies) => writeSlotCopies(toShredKeysPath(dataDir), copies),
    disk: createDiskProbe(dataDir, files.writer),
    commits: { maxMembers: MAX_GROUP, maxCommits: 1, countBytes: dialect.countBytes },
    timeQuery: null,
    erase: (run) => clearLog(path, () => run(CHECKPOINT)),
    // Tables are stored in the order of their random keys; only the log has another order.
    hideRowOrder: (run) => clearLog(path, () => run(CHECKPOINT)),
    isOwnError: (error) => readErrorCode(error) === 'ERR_SQLITE_ERROR',
    mayRetry,
    isUnavailable: (error) => UNAVAILABLE.includes(getResultCode(error)),
  };
}

/** `isQuiet` promises that no process writes meanwhile; the files for sharing the database are then not created. */
export function openSqliteToRead(path: string, isQuiet: boolean): Dialect {
  const address = pathToFileURL(path);
  if (isQuiet) address.searchParams.set('immutable', '1');
  const database = new DatabaseSync(address, { readOnly: true, timeout: LOCK_WAIT_MS });
  return createSqliteDialect({ reader: database, writer: database });
}

/** Called many times a second, so its statements are prepared once. */
function createDiskProbe(dataDir: string, database: DatabaseSync): DiskProbe {
  const [freePages, pageSize] = ['freelist_count', 'page_size'].map((name) => {
    const pragma = database.prepare(`pragma ${name}`);
    return () => Number(pragma.get()?.[name]);
  }) as [() => number, () => number];
  return () => measureDisk(dataDir, freePages() * pageSize());
}

/** A new file in place of a lost one would give the slots of existing cases to others. */
async function createMissingSlots(path: string, records: Records): Promise<void> {
  if (existsSync(path)) return;
  const query = records.selectFrom('cases').select('id').where('key_slot', 'is not', null).limit(1);
  const isNeeded = (await query.executeTakeFirst()) !== undefined;
  const installation = await readInstallation(records, 'records_installation');
  if (isNeeded || (installation && installation.generation > 0)) throw createMismatch(`${path} is missing`);
  await writeSlotCopies(path, []);
}

function openDatabase(path: string): SqliteFiles {
  try {
    const writer = new DatabaseSync(path, {
      timeout: LOCK_WAIT_MS,
      enableForeignKeyConstraints: true,
      // A step of the schema changes the declarations of tables; after the steps, nothing may.
      defensive: false,
    });
    writer.exec('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on');
    writer.exec(`pragma busy_timeout = 0; pragma cache_size = ${-CACHE_KIB}`);
    return { writer, reader: new DatabaseSync(path, { timeout: LOCK_WAIT_MS, readOnly: true }) };
  } catch (error) {
    throw createOpenError(error, path);
  }
}

/** A transient fault has a different exit code from one that needs a person, so that a supervisor can retry. */
function createOpenError(error: unknown, path: string): ProgramError {
  const code = getResultCode(error);
  const create = (reason: string, exitCode: number) =>
    new ProgramError(`${path}: ${reason}`, exitCode, error);
  // Without room for the index of its log, SQLite reports an I/O error.
  const isFull = code === SQLITE.full || (code === SQLITE.ioError && statfsSync(dirname(path)).bavail === 0);
  if (isFull) return create('the disk is full', EXIT_CODES.cannotCreate);
  if (code === SQLITE.busy)
    return create('the database is locked by another program', EXIT_CODES.cannotCreate);
  if (code === SQLITE.readonly || code === SQLITE.cantOpen)
    return create('the database cannot be opened for writing', EXIT_CODES.inputOutput);
  const name = formatEngineCode(error) ?? 'unknown reason';
  if (explainDamage(error))
    return create(`not a usable database (${name}): ${DAMAGE_ADVICE}`, EXIT_CODES.inputOutput);
  return create(`cannot be read (${name}): check the disk and its log (dmesg)`, EXIT_CODES.cannotCreate);
}

function getResultCode(error: unknown): number {
  const { errcode } = (error ?? {}) as { errcode?: number };
  return (errcode ?? 0) & 0xff;
}

/** `empty` clears the log on the connection of this thread. A log locked by another process is left to a later call. */
async function clearLog(databasePath: string, empty: () => Promise<void>): Promise<void> {
  if (measureLog(databasePath) < LONG_LOG_BYTES) return await empty();
  // Tried here if the thread fails, so that the error is the database's own.
  if (!(await clearLogInThread(databasePath))) await empty();
}

function measureLog(databasePath: string): number {
  return statSync(`${databasePath}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

async function clearLogInThread(databasePath: string): Promise<boolean> {
  try {
    const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      workerData: databasePath,
      ...getThreadOptions(),
    });
    const [code] = (await once(thread, 'exit')) as [number];
    return code === 0;
  } catch {
    return false;
  }
}
