/** Opens records and shred keys read-only: nothing is written, created or migrated. */
import { existsSync } from 'node:fs';
import { Kysely } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import type { Log } from '#platform/log.ts';
import { openKeySlots } from '../keys/key-slots.ts';
import { toShredKeysPath } from '../keys/orphaned-keys.ts';
import type { ShredKeys } from '../keys/shred-keys.ts';
import { createShredTable } from '../keys/shred-table.ts';
import type { Tables } from '../schema/tables.ts';
import type { DatabaseEngine } from './engine.ts';
import { openSqliteToRead, toDatabasePath } from './sqlite.ts';

export interface RecordsReader {
  readonly engine: Pick<DatabaseEngine, 'name' | 'location' | 'timeQuery'>;
  readonly db: Kysely<Tables>;
  /** Null if there are none. Use only methods that write nothing. */
  readonly shredKeys: ShredKeys | null;
  readonly close: () => Promise<void>;
}

export interface ReaderOptions {
  readonly config: Pick<Config, 'dataDir' | 'store'>;
  readonly clock: Clock;
  readonly log: Log;
}

export async function openRecordsReader({ config, clock, log }: ReaderOptions): Promise<RecordsReader> {
  const { databaseUrl } = config.store;
  if (!databaseUrl) return await openFolderReader(config.dataDir, clock);
  const { openPostgres } = await import('./postgres.ts');
  const engine = await openPostgres({ url: databaseUrl, log });
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  return { engine, db, shredKeys: createShredTable(db), close: () => db.destroy() };
}

async function openFolderReader(dataDir: string, clock: Clock): Promise<RecordsReader> {
  const location = toDatabasePath(dataDir);
  // Without a write-ahead log no process is writing, and SQLite need not create the files by which it shares the
  // database. An empty log may be that of a running service, which empties it after a purge.
  const isQuiet = !existsSync(`${location}-wal`);
  const db = new Kysely<Tables>({ dialect: openSqliteToRead(location, isQuiet) });
  const path = toShredKeysPath(dataDir);
  const slots = existsSync(path) ? await openKeySlots(path, clock, 'r') : null;
  const close = async () => {
    await db.destroy();
    await slots?.close();
  };
  return {
    engine: { name: 'sqlite', location, timeQuery: null },
    db,
    shredKeys: slots,
    close,
  };
}
