/** Prepared queries: compiled once for each engine, then run with new values. */
import type { CompiledQuery, Insertable, Kysely } from 'kysely';
import type { Records, Tables } from '../schema/tables.ts';
import { runAtOnce } from './sqlite-dialect.ts';

/** A placeholder for a value that each call supplies; of a list, for the value at one place. */
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

/** Compiling a query takes longer than SQLite needs to run it. Lists, as for `in`, are compiled for each length. */
export function prepareQuery<Values extends object, Row>(
  names: readonly (keyof Values & string)[],
  build: (records: Records, slots: Slots<Values>) => { compile(): CompiledQuery<Row> },
): (records: Records, values: Values) => Promise<Row[]> {
  const compiledByAdapter = new WeakMap<object, Map<string, CompiledQuery<Row>>>();

  function findCompiled(records: Records, values: Values): CompiledQuery<Row> {
    const { adapter } = records.getExecutor();
    const compiled = compiledByAdapter.get(adapter) ?? new Map<string, CompiledQuery<Row>>();
    compiledByAdapter.set(adapter, compiled);
    const lengths = formatLengths(names, values);
    const query = compiled.get(lengths) ?? build(records, createSlots(names, values)).compile();
    compiled.set(lengths, query);
    return query;
  }

  return async (records, values) => {
    const query = findCompiled(records, values);
    const parameters = query.parameters.map((parameter) => fillSlots(parameter, values));
    const filled = { ...query, parameters };
    return runAtOnce<Row>(records, filled) ?? (await records.executeQuery<Row>(filled)).rows;
  };
}

/** Inserts into one table; compiled for each list of columns that comes. */
export function prepareInsert<Table extends keyof Tables>(
  table: Table,
): (records: Records, row: Insertable<Tables[Table]>) => Promise<void> {
  const insertByColumns = new Map<string, (records: Records, row: object) => Promise<unknown>>();
  return async (records, row) => {
    const columns = Object.keys(row) as (keyof typeof row & string)[];
    const key = columns.join(' ');
    const insert =
      insertByColumns.get(key) ??
      prepareQuery<typeof row, unknown>(columns, (db, slots) =>
        (db as Kysely<Tables>).insertInto(table).values(slots as Insertable<Tables[Table]>),
      );
    insertByColumns.set(key, insert as (records: Records, row: object) => Promise<unknown>);
    await insert(records, row);
  };
}

function formatLengths<Values extends object>(
  names: readonly (keyof Values & string)[],
  values: Values,
): string {
  let lengths = '';
  for (const name of names) {
    const value: unknown = values[name];
    if (Array.isArray(value)) lengths += `${value.length} `;
  }
  return lengths;
}

function createSlots<Values extends object>(
  names: readonly (keyof Values & string)[],
  values: Values,
): Slots<Values> {
  const entries = names.map((name) => {
    const value: unknown = values[name];
    const slot = Array.isArray(value) ? value.map((_, at) => new Slot(name, at)) : new Slot(name);
    return [name, slot];
  });
  return Object.fromEntries(entries) as Slots<Values>;
}

/** On PostgreSQL a list is one parameter. */
function fillSlots(parameter: unknown, values: object): unknown {
  if (Array.isArray(parameter)) return parameter.map((each) => fillSlots(each, values));
  if (!(parameter instanceof Slot)) return parameter;
  const value = (values as Readonly<Record<string, unknown>>)[parameter.name];
  return parameter.at === null ? value : (value as readonly unknown[])[parameter.at];
}
