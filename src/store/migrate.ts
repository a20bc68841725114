/** Brings the schema up to date; any number of processes may do so at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import type { Log } from '#platform/log.ts';
import { PROGRAM_NAME } from '#platform/program-name.ts';
import type { DatabaseEngine } from './engine.ts';
import { createSchemaCheck } from './schema-fit.ts';
import { hashStep, listStepStatements, type SchemaStep } from './schema-step.ts';
import {
  compareSchema,
  createVersionTables,
  requireFittingSchema,
  storeStepHash,
  toVersionTables,
} from './schema-version.ts';
import type { Tables } from './tables.ts';

interface SchemaOptions {
  readonly db: Kysely<Tables>;
  readonly engine: DatabaseEngine;
  readonly migrations: readonly SchemaStep[];
}

interface MigrationOptions extends SchemaOptions {
  readonly clock: Clock;
  readonly log: Log;
}

const MAX_ATTEMPTS = 20;
/** In PostgreSQL two concurrent `create … if not exists` can fail: duplicate key, table or object; busy catalogue. */
const COLLISIONS = new Set(['23505', '42P07', '42710', 'XX000']);

export async function migrateSchema(options: MigrationOptions): Promise<void> {
  const { db, engine, log, migrations } = options;
  await withRetries(engine, () => createVersionTables(db, engine));
  const isNew = (await withRetries(engine, () => checkAppliedSteps(options))) === 0;
  for (const [index, migration] of migrations.entries()) {
    const step = { version: index + 1, name: migration.name };
    const isApplied = await withRetries(engine, () => applyMigration({ ...options, migration, ...step }));
    if (isApplied && !isNew) log.event('schema_migrated', step);
  }
  // All of its steps would be a long list in front of the start report.
  if (isNew) log.event('schema_created', { version: migrations.length });
}

/** For commands, which leave the schema as it is. */
export async function requireCurrentSchema({ db, engine, migrations }: SchemaOptions): Promise<void> {
  const comparison = await compareSchema(db, engine, migrations);
  requireFittingSchema(comparison);
  if (comparison.missing.length > 0)
    throw new StartError(
      'the records are those of an earlier version; start the service of this version once, which brings them up to date',
      EXIT_CODES.config,
    );
}

/**
 * In one transaction, because another process may be migrating: the steps and the columns must be those of one moment.
 * Steps that were applied before hashes were stored get theirs if the columns are all there. Returns how many steps
 * there are.
 */
async function checkAppliedSteps({ db, engine, migrations }: SchemaOptions): Promise<number> {
  const { applied: before } = await compareSchema(db, engine, migrations);
  if (before.length === 0) return 0;
  return await db
    .transaction()
    .setIsolationLevel('serializable')
    .execute(async (transaction) => {
      const comparison = await compareSchema(transaction, engine, migrations);
      requireFittingSchema(comparison);
      const steps = migrations.slice(0, comparison.applied.length);
      const listMissing = await createSchemaCheck({ db, engine, steps });
      const missing = await listMissing(transaction);
      if (missing.length > 0) throw createMisfit(missing);
      for (const { version, hash } of comparison.applied)
        if (hash === null)
          await storeStepHash(transaction, version, hashStep(migrations[version - 1]!, engine));
      return comparison.applied.length;
    });
}

function createMisfit(missing: readonly string[]): StartError {
  return new StartError(
    `the database does not have what its schema steps make: ${missing.join(', ')}; put back a copy that has it (${PROGRAM_NAME} restore), and see ${PROGRAM_NAME} doctor`,
    EXIT_CODES.config,
  );
}

interface MigrationStep extends MigrationOptions {
  readonly migration: SchemaStep;
  readonly version: number;
  readonly name: string;
}

/**
 * The row in schema_version is the lock: the process that inserts it migrates, the others wait for its commit. Returns
 * whether something changed.
 */
async function applyMigration({
  db,
  engine,
  clock,
  migration,
  version,
  name,
}: MigrationStep): Promise<boolean> {
  const statements = listStepStatements(migration, engine);
  return await db.transaction().execute(async (transaction) => {
    const row = await toVersionTables(transaction)
      .insertInto('schema_version')
      .values({ version, name, applied_at: clock.now() })
      .onConflict((conflict) => conflict.doNothing())
      .returning('version')
      .executeTakeFirst();
    if (!row) return false;
    await storeStepHash(transaction, version, hashStep(migration, engine));
    // An index over many rows takes longer than any query of the service may.
    if (engine.name === 'postgres') await sql`set local statement_timeout = 0`.execute(transaction);
    for (const statement of statements) await sql.raw(statement).execute(transaction);
    return statements.length > 0;
  });
}

async function withRetries<Result>(engine: DatabaseEngine, work: () => Promise<Result>): Promise<Result> {
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
