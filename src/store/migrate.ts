/** Brings the schema up to date; any number of processes may try at the same moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import type { Log } from '#platform/log.ts';
import type { DatabaseEngine } from './engine.ts';
import type { SchemaMigration } from './migrations.ts';
import type { Tables } from './tables.ts';

interface Versions {
  schema_version: { version: number; name: string; applied_at: number };
}

interface MigrateParts {
  readonly db: Kysely<Tables>;
  readonly engine: DatabaseEngine;
  readonly migrations: readonly SchemaMigration[];
  readonly clock: Clock;
  readonly log: Log;
}

const MOST_ATTEMPTS = 20;
/** PostgreSQL lets `create … if not exists` of two sessions collide: duplicate key, table, object; busy catalogue. */
const COLLISIONS = new Set(['23505', '42P07', '42710', 'XX000']);

export async function migrateSchema(parts: MigrateParts): Promise<void> {
  const db = parts.db as unknown as Kysely<Versions>;
  await withRetries(parts.engine, () => createVersionTable(db, parts.engine));
  await requireKnownSchema(db, parts.migrations);
  for (const [index, migration] of parts.migrations.entries())
    await withRetries(parts.engine, () => applyMigration(db, { ...parts, migration, version: index + 1 }));
}

async function createVersionTable(db: Kysely<Versions>, engine: DatabaseEngine): Promise<void> {
  const statement = `create table if not exists schema_version
    (version integer not null primary key, name text not null, applied_at bigint not null) without rowid`;
  await sql.raw(toEngineSql(statement, engine)).execute(db);
}

/** A newer program's schema, or another program's, is left alone. */
async function requireKnownSchema(db: Kysely<Versions>, known: readonly SchemaMigration[]): Promise<void> {
  const applied = await db.selectFrom('schema_version').selectAll().orderBy('version').execute();
  for (const { version, name } of applied)
    if (known[version - 1]?.name !== name)
      throw new StartError(
        `the database has schema step ${version} "${name}", which this version does not know; use a newer one`,
        EXIT_CODES.config,
      );
}

interface Step extends MigrateParts {
  readonly migration: SchemaMigration;
  readonly version: number;
}

/** The version's row is the lock: whoever inserts it does the work, everyone else waits for that commit. */
async function applyMigration(
  db: Kysely<Versions>,
  { engine, clock, log, migration, version }: Step,
): Promise<void> {
  const { name } = migration;
  const mine = await db.transaction().execute(async (transaction) => {
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
  if (mine) log.event('schema_migrated', { version, name });
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
      if (attempt === MOST_ATTEMPTS || !(collided || engine.mayRetry(error))) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}
