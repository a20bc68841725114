/** Queries that are written once and asked very often: built once for each engine, then only filled in. */
import type { CompiledQuery } from 'kysely';
import type { Records } from './tables.ts';

/** Stands for a value that each call gives anew. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Names a value of the query; its type is what the column takes. */
type Slots<Values> = { readonly [Name in keyof Values]: Values[Name] };

/** Building a query costs more than the embedded engine takes to answer it. */
export function prepareQuery<Values extends object, Row>(
  names: readonly (keyof Values & string)[],
  build: (records: Records, slots: Slots<Values>) => { compile(): CompiledQuery<Row> },
): (records: Records, values: Values) => Promise<Row[]> {
  const slots = Object.fromEntries(names.map((name) => [name, new Slot(name)])) as Slots<Values>;
  const built = new WeakMap<object, CompiledQuery<Row>>();
  return async (records, values) => {
    const { adapter } = records.getExecutor();
    const query = built.get(adapter) ?? build(records, slots).compile();
    built.set(adapter, query);
    const parameters = query.parameters.map((value) =>
      value instanceof Slot ? values[value.name as keyof Values] : value,
    );
    return (await records.executeQuery<Row>({ ...query, parameters })).rows;
  };
}
