/** Brings the schema up to date; any number of processes may do so at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import type { Log } from '#platform/log.ts';
import type { DatabaseEngine } from './engine.ts';
import type { Tables } from './tables.ts';

export interface SchemaMigration {
  readonly name: string;
  /** `without rowid` is removed for engines that do not support it. */
  readonly sql: readonly string[];
  /** Limits the migration to one engine. */
  readonly on?: DatabaseEngine['name'];
}

interface VersionTables {
  schema_version: { version: number; name: string; applied_at: number };
}

interface MigrationOptions {
  readonly db: Kysely<Tables>;
  readonly engine: DatabaseEngine;
  readonly migrations: readonly SchemaMigration[];
  readonly clock: Clock;
  readonly log: Log;
}

const MAX_ATTEMPTS = 20;
/** In PostgreSQL two concurrent `create … if not exists` can fail: duplicate key, table or object; busy catalogue. */
const COLLISIONS = new Set(['23505', '42P07', '42710', 'XX000']);

export async function migrateSchema(options: MigrationOptions): Promise<void> {
  const db = options.db as unknown as Kysely<VersionTables>;
  await withRetries(options.engine, () => createVersionTable(db, options.engine));
  await requireKnownSchema(db, options.migrations);
  for (const [index, migration] of options.migrations.entries())
    await withRetries(options.engine, () =>
      applyMigration(db, { ...options, migration, version: index + 1 }),
    );
}

async function createVersionTable(db: Kysely<VersionTables>, engine: DatabaseEngine): Promise<void> {
  const statement = `create table if not exists schema_version
    (version integer not null primary key, name text not null, applied_at bigint not null) without rowid`;
  await sql.raw(toEngineSql(statement, engine)).execute(db);
}

/** Refuses a schema that a newer version or another program created. */
async function requireKnownSchema(
  db: Kysely<VersionTables>,
  known: readonly SchemaMigration[],
): Promise<void> {
  const applied = await db.selectFrom('schema_version').selectAll().orderBy('version').execute();
  for (const { version, name } of applied)
    if (known[version - 1]?.name !== name)
      throw new StartError(
        `the database has schema step ${version} "${name}", which this version does not know; use a newer one`,
        EXIT_CODES.config,
      );
}

interface MigrationStep extends MigrationOptions {
  readonly migration: SchemaMigration;
  readonly version: number;
}

/** The row in schema_version is the lock: the process that inserts it migrates, the others wait for its commit. */
async function applyMigration(
  db: Kysely<VersionTables>,
  { engine, clock, log, migration, version }: MigrationStep,
): Promise<void> {
  const { name } = migration;
  const applied = await db.transaction().execute(async (transaction) => {
    const row = await transaction
      .insertInto('schema_version')
      .values({ version, name, applied_at: clock.now() })
      .onConflict((conflict) => conflict.doNothing())
      .returning('version')
      .executeTakeFirst();
    if (!row) return false;
    if (migration.on && migration.on !== engine.name) return false;
    for (const statement of migration.sql) await sql.raw(toEngineSql(statement, engine)).execute(transaction);
    return true;
  });
  if (applied) log.event('schema_migrated', { version, name });
}

function toEngineSql(statement: string, engine: Pick<DatabaseEngine, 'withoutRowid'>): string {
  return statement.replace(/ without rowid$/, engine.withoutRowid);
}

async function withRetries(engine: DatabaseEngine, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const collided = COLLISIONS.has(readErrorCode(error));
      if (attempt === MAX_ATTEMPTS || !(collided || engine.mayRetry(error))) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}
