/** Brings the schema up to date; any number of processes may do so at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { Log } from '#platform/log.ts';
import type { DatabaseEngine } from '../engine/engine.ts';
import { carryOverRecords, explainPreviousRecords, isPreviousSchema } from './carry-over.ts';
import { createSchemaCheck, listPresentColumns } from './schema-fit.ts';
import { hashStep, listStepStatements, type SchemaStep } from './schema-step.ts';
import { schemaSteps } from './schema-steps.ts';
import { HASHES_TABLE, LOCK_TABLE, STEPS_TABLE } from './schema-tables.ts';
import type { Tables } from './tables.ts';

interface SchemaOptions {
  readonly db: Kysely<Tables>;
  readonly engine: DatabaseEngine;
  readonly steps: readonly SchemaStep[];
}

interface MigrationOptions extends SchemaOptions {
  readonly log: Log;
  /** Called before the tables of a new installation are created; may refuse. */
  readonly beforeFirst?: (() => Promise<void>) | undefined;
}

/** How long to wait for the steps of another process that is migrating. */
const MAX_WAIT_MS = MINUTE_MS;
/** A statement exceeded the time limit while it waited for the migrator's lock. */
const QUERY_CANCELED = '57014';
/** How often another process may create or rename the tables between two statements of this one. */
const MAX_OVERTAKEN = 3;

export async function migrateSchema(options: MigrationOptions): Promise<void> {
  const { db, engine, log, steps, beforeFirst } = options;
  const { applied, missing } = await readFittingSchema(options);
  if (missing.length === 0) return;
  const isNew = applied.length === 0 && !isPreviousSchema(new Set(await listPresentColumns(db, engine.name)));
  if (isNew) await beforeFirst?.();
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async () => Object.fromEntries(steps.map((step) => toMigration(engine, step))),
    },
    migrationTableName: STEPS_TABLE,
    migrationLockTableName: LOCK_TABLE,
    ...(engine.name === 'postgres' && { migrationTableSchema: await readPostgresSchema(db) }),
  });
  const made = await runMigrator(migrator, engine);
  if (isNew && made.length > 0) log.event('schema_created', { version: steps.length });
  else for (const name of made) log.event('schema_migrated', { name });
}

/** For commands, which leave the schema as it is. */
export async function requireCurrentSchema(options: SchemaOptions): Promise<void> {
  const { db, engine, steps } = options;
  const comparison = await withRetries(engine, () => compareSchema(db, engine, steps));
  requireFittingSchema(comparison);
  if (comparison.missing.length === 0) return;
  throw new ProgramError(
    'the records are those of an earlier version; start the service of this version once, which brings them up to date',
    EXIT_CODES.config,
  );
}

/** In one transaction, because another process may be migrating: steps and columns must be those of one moment. */
async function readFittingSchema({ db, engine, steps }: SchemaOptions): Promise<SchemaComparison> {
  return await withRetries(engine, async () => {
    const comparison = await compareSchema(db, engine, steps);
    if (comparison.applied.length === 0) {
      requireFittingSchema(comparison);
      return comparison;
    }
    return await db
      .transaction()
      .setIsolationLevel('serializable')
      .execute(async (transaction) => {
        const settled = await compareSchema(transaction, engine, steps);
        requireFittingSchema(settled);
        const listMissing = await createSchemaCheck({
          db,
          engine,
          steps: steps.filter(({ name }) => settled.applied.includes(name)),
        });
        const missing = await listMissing(transaction);
        if (missing.length > 0) throw createMisfit(missing);
        return settled;
      });
  });
}

function createMisfit(missing: readonly string[]): ProgramError {
  return new ProgramError(
    `the database lacks tables or columns that its schema steps create: ${missing.join(', ')}; put back a copy that has them (${PROGRAM_NAME} restore), and see ${PROGRAM_NAME} doctor`,
    EXIT_CODES.config,
  );
}

function toMigration(engine: DatabaseEngine, step: SchemaStep): [string, Migration] {
  const up = async (db: Kysely<Tables>) => {
    // Creating an index over many rows may exceed the time limit for the service's queries.
    if (engine.name === 'postgres') await sql`set local statement_timeout = 0`.execute(db);
    const run = async () => {
      for (const statement of listStepStatements(step, engine.name)) await sql.raw(statement).execute(db);
    };
    const isPrevious = isPreviousSchema(new Set(await listPresentColumns(db, engine.name)));
    // Checked under the lock, because the records may have changed since the check at startup.
    if (isPrevious) requireFittingSchema(await compareSchema(db, engine, schemaSteps));
    await (isPrevious ? carryOverRecords(db, engine.name, run) : run());
    const row = { name: step.name, hash: hashStep(step, engine.name) };
    await db.insertInto(HASHES_TABLE).values(row).execute();
  };
  return [step.name, { up }];
}

async function readPostgresSchema(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows[0]?.name ?? 'public';
}

/** Returns the names of the steps that this process has applied. */
async function runMigrator(migrator: Migrator, engine: DatabaseEngine): Promise<string[]> {
  return await withRetries(engine, async () => {
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error) throw error;
    return results.map(({ migrationName }) => migrationName);
  });
}

async function withRetries<Result>(engine: DatabaseEngine, work: () => Promise<Result>): Promise<Result> {
  const endsAt = performance.now() + MAX_WAIT_MS;
  for (let overtaken = 0; ; ) {
    try {
      return await work();
    } catch (error) {
      if (isTableMissing(error)) overtaken += 1;
      const isWaiting = engine.mayRetry(error) || readErrorCode(error) === QUERY_CANCELED;
      const mayRetry = isWaiting || (isTableMissing(error) && overtaken <= MAX_OVERTAKEN);
      if (!mayRetry || performance.now() > endsAt) throw error;
      await sleep(20 + Math.random() * 200);
    }
  }
}

function isTableMissing(error: unknown): boolean {
  return (
    readErrorCode(error) === '42P01' || (error instanceof Error && error.message.startsWith('no such table'))
  );
}

export interface SchemaComparison {
  /** The names of the steps that the database has. */
  readonly applied: readonly string[];
  /** The mismatches, as text; the first is enough to refuse. */
  readonly faults: readonly string[];
  /** The names of steps that the program knows and the database lacks. */
  readonly missing: readonly string[];
}

/** Writes nothing. A database without these tables has no steps. */
export async function compareSchema(
  db: Kysely<Tables>,
  engine: Pick<DatabaseEngine, 'name'>,
  known: readonly SchemaStep[],
): Promise<SchemaComparison> {
  const columns = new Set(await listPresentColumns(db, engine.name));
  const missing = known.map(({ name }) => name);
  if (isPreviousSchema(columns)) {
    const fault = await explainPreviousRecords(db, engine.name, columns);
    return { applied: [], faults: fault === null ? [] : [fault], missing };
  }
  if (!columns.has(`${STEPS_TABLE}.name`)) return { applied: [], faults: [], missing };
  const steps = await db.selectFrom(STEPS_TABLE).select('name').orderBy('name').execute();
  const hashes = columns.has(`${HASHES_TABLE}.hash`)
    ? await db.selectFrom(HASHES_TABLE).selectAll().execute()
    : [];
  const applied = steps.map(({ name }) => name);
  const hashByName = new Map(hashes.map(({ name, hash }) => [name, hash]));
  const faults = applied.flatMap((name) => explainFault(name, hashByName.get(name), known, engine) ?? []);
  return { applied, faults, missing: missing.filter((name) => !applied.includes(name)) };
}

function requireFittingSchema({ faults: [fault] }: SchemaComparison): void {
  if (fault) throw new ProgramError(fault, EXIT_CODES.config);
}

function explainFault(
  name: string,
  hash: string | undefined,
  known: readonly SchemaStep[],
  engine: Pick<DatabaseEngine, 'name'>,
): string | null {
  const step = known.find((each) => each.name === name);
  if (!step)
    return `the database has the schema step "${name}", which this version does not know; use a newer one`;
  if (hash === hashStep(step, engine.name)) return null;
  return `the database was made with a schema step "${name}" that differs from the one in this version; use the version that made it`;
}
