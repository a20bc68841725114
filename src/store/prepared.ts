/** Prepared queries: compiled once for each engine, then run with new values. */
import type { CompiledQuery } from 'kysely';
import type { Records } from './tables.ts';

/** A placeholder for a value that each call supplies. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Placeholders typed like the values they stand for. */
type Slots<Values> = { readonly [Name in keyof Values]: Values[Name] };

/** Compiling a query takes longer than SQLite needs to run it. */
export function prepareQuery<Values extends object, Row>(
  names: readonly (keyof Values & string)[],
  build: (records: Records, slots: Slots<Values>) => { compile(): CompiledQuery<Row> },
): (records: Records, values: Values) => Promise<Row[]> {
  const slots = Object.fromEntries(names.map((name) => [name, new Slot(name)])) as Slots<Values>;
  const compiled = new WeakMap<object, CompiledQuery<Row>>();
  return async (records, values) => {
    const { adapter } = records.getExecutor();
    const query = compiled.get(adapter) ?? build(records, slots).compile();
    compiled.set(adapter, query);
    const parameters = query.parameters.map((value) =>
      value instanceof Slot ? values[value.name as keyof Values] : value,
    );
    return (await records.executeQuery<Row>({ ...query, parameters })).rows;
  };
}
