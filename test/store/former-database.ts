/** A database as an earlier version left it: the schema before a given step, filled by the test. */
import assert from 'node:assert/strict';
import { Kysely } from 'kysely';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { migrateSchema } from '#store/migrate.ts';
import { schemaMigrations } from '#store/migrations.ts';
import { openPostgres } from '#store/postgres.ts';
import type { ShredKeyTables } from '#store/shred-keys.ts';
import { openSqlite } from '#store/sqlite.ts';
import type { Tables } from '#store/tables.ts';
import { silentLog, type TestDatabase } from './engines.ts';

interface FormerDatabase {
  /** Typed as the tables are now: only columns that existed then may be used. */
  readonly records: Kysely<Tables>;
  readonly shredKeys: Kysely<ShredKeyTables>;
}

/** Runs the steps before the named one, then the work; the next store that opens the database upgrades it. */
export async function withFormerDatabase<Result>(
  { env }: TestDatabase,
  firstNewStep: string,
  work: (database: FormerDatabase) => Promise<Result>,
): Promise<Result> {
  const { dataDir, store } = readConfig(env);
  const engine = store.databaseUrl
    ? await openPostgres({ url: store.databaseUrl, log: silentLog })
    : await openSqlite(dataDir);
  const records = new Kysely<Tables>({ dialect: engine.dialect });
  const shredKeys = engine.shredDialect
    ? new Kysely<ShredKeyTables>({ dialect: engine.shredDialect })
    : (records as unknown as Kysely<ShredKeyTables>);
  const index = schemaMigrations.findIndex(({ name }) => name === firstNewStep);
  assert.ok(index > 0, firstNewStep);
  const migrations = schemaMigrations.slice(0, index);
  await migrateSchema({ db: records, engine, migrations, clock: systemClock, log: silentLog });
  try {
    return await work({ records, shredKeys });
  } finally {
    await records.destroy();
    if (engine.shredDialect) await shredKeys.destroy();
  }
}
