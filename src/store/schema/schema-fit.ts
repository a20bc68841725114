/** Compares the tables and columns of a database with those that the steps of its schema create. */
import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import type { DatabaseEngine } from '../engine/engine.ts';
import { listStepStatements, type SchemaStep } from './schema-step.ts';
import type { Tables } from './tables.ts';

interface FitOptions {
  readonly db: Kysely<Tables>;
  readonly engine: Pick<DatabaseEngine, 'name'>;
  readonly steps: readonly SchemaStep[];
}

const SQLITE_COLUMNS = `select tables.name || '.' || columns.name as name
  from sqlite_schema as tables, pragma_table_info(tables.name) as columns where tables.type = 'table'`;

/** Makes the expected tables once; the function that it returns lists what is missing, and writes nothing. */
export async function createSchemaCheck(
  options: FitOptions,
): Promise<(db?: Kysely<Tables>) => Promise<string[]>> {
  const expected = await listExpectedColumns(options);
  return async (db = options.db) => {
    const present = new Set(await listPresentColumns(db, options.engine.name));
    return formatMissing(expected, present);
  };
}

async function listExpectedColumns({ db, engine, steps }: FitOptions): Promise<string[]> {
  const statements = steps.flatMap((step) => listStepStatements(step, engine.name)).filter(isAboutColumns);
  return engine.name === 'sqlite' ? buildInMemory(statements) : await buildAndRollBack(db, statements);
}

/** Leaves out indexes: creating them on empty tables would take half of the time. */
function isAboutColumns(statement: string): boolean {
  return !/^\s*(?:create(?: unique)?|drop) index /i.test(statement);
}

function buildInMemory(statements: readonly string[]): string[] {
  using database = new DatabaseSync(':memory:', { defensive: false });
  for (const statement of statements) database.exec(statement);
  return database
    .prepare(SQLITE_COLUMNS)
    .all()
    .map(({ name }) => String(name));
}

class Finished extends Error {}

/** In temporary tables of a transaction that is rolled back: they touch nothing and need no right to a schema. */
async function buildAndRollBack(db: Kysely<Tables>, statements: readonly string[]): Promise<string[]> {
  let columns: string[] = [];
  const work = db.transaction().execute(async (transaction) => {
    await sql`set local search_path to pg_temp`.execute(transaction);
    for (const statement of statements) await sql.raw(statement).execute(transaction);
    columns = await listPostgresColumns(transaction, 'pg_my_temp_schema()');
    throw new Finished();
  });
  await work.catch((error: unknown) => {
    if (!(error instanceof Finished)) throw error;
  });
  return columns;
}

/** Returns names such as `cases.id`. */
export async function listPresentColumns(
  db: Kysely<Tables>,
  engine: DatabaseEngine['name'],
): Promise<string[]> {
  if (engine === 'postgres') return await listPostgresColumns(db, 'current_schema()::regnamespace');
  const { rows } = await sql.raw<{ name: string }>(SQLITE_COLUMNS).execute(db);
  return rows.map(({ name }) => name);
}

async function listPostgresColumns(db: Kysely<Tables>, schema: string): Promise<string[]> {
  const { rows } = await sql
    .raw<{ name: string }>(
      `select relname || '.' || attname as name from pg_class join pg_attribute on attrelid = pg_class.oid
        where relkind in ('r', 'p') and relnamespace = ${schema} and attnum > 0 and not attisdropped`,
    )
    .execute(db);
  return rows.map(({ name }) => name);
}

function formatMissing(expected: readonly string[], present: ReadonlySet<string>): string[] {
  const tables = new Set([...present].map(readTable));
  const missing = expected.filter((column) => !present.has(column));
  const names = missing.map((column) =>
    tables.has(readTable(column)) ? column : `table ${readTable(column)}`,
  );
  return [...new Set(names)].toSorted();
}

function readTable(column: string): string {
  return column.slice(0, column.indexOf('.'));
}
