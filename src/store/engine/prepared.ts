/** Prepared queries: compiled once for each engine, then run with new values. */
import {
  type CompiledQuery,
  type Insertable,
  type Kysely,
  PostgresAdapter,
  type QueryResult,
  type RawBuilder,
  type Selectable,
  sql,
} from 'kysely';
import { readErrorCode } from '#platform/error-code.ts';
import type { Records, Tables } from '../schema/tables.ts';
import { SharedFileAdapter } from './sqlite-dialect.ts';

/** A placeholder for a value that each call supplies. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Placeholders typed like the values they stand for. */
type Slots<Values> = { readonly [Name in keyof Values]: Values[Name] };

export interface PreparedQuery<Values, Row> {
  (records: Records, values: Values): Promise<Row[]>;
  /** For use as a part of another statement. */
  readonly compile: (records: Records, values: Values) => CompiledQuery<Row>;
}

/** Compiled once for the names of its values: compiling takes longer than SQLite needs to run a query. */
export function prepareQuery<Values extends object, Row>(
  build: (records: Records, slots: Slots<Values>) => { compile(): CompiledQuery<Row> },
): PreparedQuery<Values, Row> {
  const queries = new Map<string, CompiledQuery<Row>>();
  const compile = (records: Records, values: Values): CompiledQuery<Row> => {
    const names = Object.keys(values);
    const shape = `${isPostgres(records)} ${names.join(' ')}`;
    const query = queries.get(shape) ?? build(records, createSlots<Values>(names)).compile();
    queries.set(shape, query);
    const given = values as Readonly<Record<string, unknown>>;
    const fill = (parameter: unknown) => (parameter instanceof Slot ? given[parameter.name] : parameter);
    return { ...query, parameters: query.parameters.map(fill) };
  };
  const execute = async (records: Records, values: Values) =>
    (await runQuery(records, compile(records, values))).rows;
  return Object.assign(execute, { compile });
}

function createSlots<Values>(names: readonly string[]): Slots<Values> {
  return Object.fromEntries(names.map((name) => [name, new Slot(name)])) as Slots<Values>;
}

/** On SQLite without the steps of Kysely, which take longer than most queries. A plugin needs them. */
async function runQuery<Row>(records: Records, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const { adapter, plugins } = records.getExecutor();
  return adapter instanceof SharedFileAdapter && plugins.length === 0
    ? await adapter.run(query, records.isTransaction)
    : await records.executeQuery(query);
}

export function prepareInsert<Table extends keyof Tables>(
  table: Table,
): PreparedQuery<Insertable<Tables[Table]>, unknown> {
  return prepareQuery((db, slots) =>
    (db as Kysely<Tables>).insertInto(table).values(slots as Insertable<Tables[Table]>),
  );
}

/** Finds the row with these values in columns that identify it. */
export function prepareFind<
  Table extends keyof Tables,
  Columns extends readonly (keyof Tables[Table] & string)[],
>(table: Table, ...columns: Columns) {
  type Row = Selectable<Tables[Table]>;
  const select = prepareQuery<Readonly<Record<string, string | number>>, Row>((records, slots) => {
    const matches = columns.map((column) => sql`${sql.ref(column)} = ${slots[column]}`);
    const query = sql<Row>`select * from ${sql.table(table)} where ${sql.join(matches, sql` and `)}`;
    return { compile: () => query.compile(records) };
  });
  return async (
    records: Records,
    ...values: { [At in keyof Columns]: string | number }
  ): Promise<Row | undefined> => {
    const named = columns.map((column, at) => [column, values[at]]) as [string, string | number][];
    return (await select(records, Object.fromEntries(named)))[0];
  };
}

const joinedTexts = new Map<string, string>();

/** On PostgreSQL, one statement whose parts can read what earlier ones return; on SQLite, one statement per part. */
export async function executeTogether<Row>(
  db: Records,
  parts: Readonly<Record<string, CompiledQuery>>,
  last: CompiledQuery<Row>,
): Promise<Row[]> {
  const earlier = Object.entries(parts);
  if (!isPostgres(db) || earlier.length === 0) {
    for (const [, part] of earlier) await runQuery(db, part);
    return (await runQuery(db, last)).rows;
  }
  const key = [...earlier.map(([name, part]) => `${name} ${part.sql}`), last.sql].join('\n');
  const text = joinedTexts.get(key) ?? joinTexts(earlier, last);
  joinedTexts.set(key, text);
  const parameters = [...earlier.flatMap(([, part]) => part.parameters), ...last.parameters];
  return (await db.executeQuery<Row>({ ...last, sql: text, parameters })).rows;
}

/** SQLSTATE: a part had no row for the next one, or the row exists already. */
const REFUSALS = new Set(['23502', '23505', '23514']);

/** Returns null, with nothing changed, if a condition of a part or a unique index refused it. */
export async function tryTogether<Row>(
  ...asked: Parameters<typeof executeTogether<Row>>
): Promise<Row[] | null> {
  try {
    return await executeTogether<Row>(...asked);
  } catch (error) {
    if (REFUSALS.has(readErrorCode(error))) return null;
    throw error;
  }
}

function joinTexts(earlier: readonly (readonly [string, CompiledQuery])[], last: CompiledQuery): string {
  let count = 0;
  const renumber = ({ sql: text, parameters }: CompiledQuery) => {
    const before = count;
    count += parameters.length;
    return text.replaceAll(/\$(\d+)/g, (_, number: string) => `$${Number(number) + before}`);
  };
  const parts = earlier.map(([name, part]) => `${name} as (${renumber(part)})`);
  return `with ${parts.join(', ')} ${renumber(last)}`;
}

/** For a value whose type PostgreSQL cannot infer. SQLite has another name for the type, and needs no cast. */
export function castBytes(db: Records, bytes: Uint8Array | null): RawBuilder<Uint8Array> {
  return isPostgres(db) ? sql`cast(${bytes} as bytea)` : sql`${bytes}`;
}

/** On PostgreSQL, one statement can change several tables. */
export function isPostgres(db: Records): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
