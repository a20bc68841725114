/** Prepared queries: compiled once for each engine, then run with new values. */
import {
  type CompiledQuery,
  type Insertable,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  type Selectable,
  sql,
} from 'kysely';
import { readErrorCode } from '#platform/error-code.ts';
import type { Records, Tables } from '../schema/tables.ts';

/** A placeholder for a value that each call supplies; in a list, for the value at one position. */
class Slot {
  readonly name: string;
  readonly at: number | null;

  constructor(name: string, at: number | null = null) {
    this.name = name;
    this.at = at;
  }
}

/** Placeholders typed like the values they stand for. */
type Slots<Values> = { readonly [Name in keyof Values]: Values[Name] };

export interface PreparedQuery<Values, Row> {
  (records: Records, values: Values): Promise<Row[]>;
  /** For use as a part of another statement. */
  readonly compile: (records: Records, values: Values) => CompiledQuery<Row>;
}

/**
 * For queries of every request with a token: compiling one takes longer than SQLite needs to run it. Every call has values of the same names; lists, as for
 * `in`, are compiled for each length.
 */
export function prepareQuery<Values extends object, Row>(
  build: (records: Records, slots: Slots<Values>) => { compile(): CompiledQuery<Row> },
): PreparedQuery<Values, Row> {
  const compiledByAdapter = new WeakMap<object, Map<string, CompiledQuery<Row>>>();
  let listNames: readonly (keyof Values)[] | undefined;

  function findCompiled(records: Records, values: Values): CompiledQuery<Row> {
    const { adapter } = records.getExecutor();
    const compiled = compiledByAdapter.get(adapter) ?? new Map<string, CompiledQuery<Row>>();
    compiledByAdapter.set(adapter, compiled);
    listNames ??= (Object.keys(values) as (keyof Values)[]).filter((name) => Array.isArray(values[name]));
    const lengths = listNames.map((name) => (values[name] as readonly unknown[]).length).join(' ');
    const query = compiled.get(lengths) ?? build(records, createSlots(values)).compile();
    compiled.set(lengths, query);
    return query;
  }

  const compile = (records: Records, values: Values): CompiledQuery<Row> => {
    const query = findCompiled(records, values);
    return { ...query, parameters: query.parameters.map((parameter) => fillSlots(parameter, values)) };
  };
  const execute = async (records: Records, values: Values) =>
    (await records.executeQuery<Row>(compile(records, values))).rows;
  return Object.assign(execute, { compile });
}

/** Inserts into one table; compiled once for each list of columns. */
export function prepareInsert<Table extends keyof Tables>(
  table: Table,
): PreparedQuery<Insertable<Tables[Table]>, unknown> {
  type Row = Insertable<Tables[Table]>;
  const insertByColumns = new Map<string, PreparedQuery<Row, unknown>>();
  const findInsert = (row: Row): PreparedQuery<Row, unknown> => {
    const key = Object.keys(row).join(' ');
    const insert =
      insertByColumns.get(key) ??
      prepareQuery<Row, unknown>((db, slots) =>
        (db as Kysely<Tables>).insertInto(table).values(slots as Row),
      );
    insertByColumns.set(key, insert);
    return insert;
  };
  const execute = async (records: Records, row: Row) => await findInsert(row)(records, row);
  return Object.assign(execute, {
    compile: (records: Records, row: Row) => findInsert(row).compile(records, row),
  });
}

/** Finds the row with these values in columns that identify it. */
export function prepareFind<
  Table extends keyof Tables,
  Columns extends readonly (keyof Tables[Table] & string)[],
>(table: Table, ...columns: Columns) {
  type Row = Selectable<Tables[Table]>;
  const select = prepareQuery<{ values: readonly (string | number)[] }, Row>((records, { values }) => {
    const matches = columns.map((column, at) => sql`${sql.ref(column)} = ${values[at]}`);
    const query = sql<Row>`select * from ${sql.table(table)} where ${sql.join(matches, sql` and `)}`;
    return { compile: () => query.compile(records) };
  });
  return async (
    records: Records,
    ...values: { [At in keyof Columns]: string | number }
  ): Promise<Row | undefined> => (await select(records, { values }))[0];
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
    for (const [, part] of earlier) await db.executeQuery(part);
    return (await db.executeQuery<Row>(last)).rows;
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

function createSlots<Values extends object>(values: Values): Slots<Values> {
  const slots = Object.entries(values).map(([name, value]: [string, unknown]) => [
    name,
    Array.isArray(value) ? value.map((_, at) => new Slot(name, at)) : new Slot(name),
  ]);
  return Object.fromEntries(slots) as Slots<Values>;
}

/** On PostgreSQL a list is one parameter. */
function fillSlots(parameter: unknown, values: object): unknown {
  if (Array.isArray(parameter)) return parameter.map((each) => fillSlots(each, values));
  if (!(parameter instanceof Slot)) return parameter;
  const value = (values as Readonly<Record<string, unknown>>)[parameter.name];
  return parameter.at === null ? value : (value as readonly unknown[])[parameter.at];
}
