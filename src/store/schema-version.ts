/** The steps that a database has, each with the hash of what was executed, compared with the steps that the program knows. */
import { type Kysely, sql } from 'kysely';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import type { DatabaseEngine } from './engine.ts';
import { listPresentColumns } from './schema-fit.ts';
import { hashStep, listStepStatements, type SchemaStep } from './schema-step.ts';
import type { Tables } from './tables.ts';

interface VersionTables {
  schema_version: { version: number; name: string; applied_at: number };
  schema_hashes: { version: number; hash: string };
}

interface AppliedStep {
  readonly version: number;
  readonly name: string;
  /** Null if it was applied by a version that stored none. */
  readonly hash: string | null;
}

export interface SchemaComparison {
  readonly applied: readonly AppliedStep[];
  /** What does not fit, in words; the first is enough to refuse. */
  readonly faults: readonly string[];
  /** The names of steps that the program knows and the database lacks. */
  readonly missing: readonly string[];
}

const VERSION_TABLES: readonly SchemaStep[] = [
  {
    name: 'version tables',
    sql: [
      `create table if not exists schema_version
        (version integer not null primary key, name text not null, applied_at bigint not null) without rowid`,
      `create table if not exists schema_hashes
        (version integer not null primary key, hash text not null) without rowid`,
    ],
  },
];

export async function createVersionTables(db: Kysely<Tables>, engine: DatabaseEngine): Promise<void> {
  for (const statement of VERSION_TABLES.flatMap((step) => listStepStatements(step, engine)))
    await sql.raw(statement).execute(db);
}

export function toVersionTables(db: Kysely<Tables>): Kysely<VersionTables> {
  return db as unknown as Kysely<VersionTables>;
}

/** Writes nothing. A database without these tables has no steps. */
export async function compareSchema(
  db: Kysely<Tables>,
  engine: Pick<DatabaseEngine, 'name'>,
  known: readonly SchemaStep[],
): Promise<SchemaComparison> {
  const applied = await listAppliedSteps(db, engine.name);
  const faults = applied.flatMap((step) => explainFault(step, known[step.version - 1], engine) ?? []);
  const versions = new Set(applied.map(({ version }) => version));
  const missing = known.filter((_, index) => !versions.has(index + 1)).map(({ name }) => name);
  return { applied, faults, missing };
}

export function requireFittingSchema({ faults: [fault] }: SchemaComparison): void {
  if (fault) throw new StartError(fault, EXIT_CODES.config);
}

export async function storeStepHash(db: Kysely<Tables>, version: number, hash: string): Promise<void> {
  await toVersionTables(db)
    .insertInto('schema_hashes')
    .values({ version, hash })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function listAppliedSteps(db: Kysely<Tables>, engine: DatabaseEngine['name']): Promise<AppliedStep[]> {
  const columns = new Set(await listPresentColumns(db, engine));
  if (!columns.has('schema_version.version')) return [];
  const steps = toVersionTables(db)
    .selectFrom('schema_version')
    .select(['version', 'name'])
    .orderBy('version');
  const rows = await steps.execute();
  const hashes = columns.has('schema_hashes.hash')
    ? await toVersionTables(db).selectFrom('schema_hashes').selectAll().execute()
    : [];
  const byVersion = new Map(hashes.map(({ version, hash }) => [version, hash]));
  return rows.map(({ version, name }) => ({ version, name, hash: byVersion.get(version) ?? null }));
}

function explainFault(
  { version, name, hash }: AppliedStep,
  known: SchemaStep | undefined,
  engine: Pick<DatabaseEngine, 'name'>,
): string | null {
  if (known?.name !== name)
    return `the database has schema step ${version} "${name}", which this version does not know; use a newer one`;
  if (hash === null || hash === hashStep(known, engine)) return null;
  return `the database was made with another schema step ${version} "${name}" than this version has; use the version that made it`;
}
