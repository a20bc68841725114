/** Inserts copied rows into the tables of a schema, and names the first one that does not fit. */
import type { Kysely } from 'kysely';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { DatabaseEngine } from '../engine/engine.ts';
import { listRecordTables } from '../schema/schema-tables.ts';
import type { Tables } from '../schema/tables.ts';
import {
  type CopiedRow,
  createRowFault,
  type RecordValue,
  requireTypedRow,
  type TypedColumn,
  toTypedColumn,
} from '../schema/typed-columns.ts';

/** The limits of one insert. */
const BATCH_ROWS = 50;
const BATCH_BYTES = 4 * 1024 * 1024;

export type CopiedItem =
  | { readonly table: string; readonly columns: readonly string[] }
  | { readonly row: readonly RecordValue[] };

interface FilledPlace {
  readonly db: Kysely<Tables>;
  readonly engine: Pick<DatabaseEngine, 'isUnavailable' | 'mayRetry'>;
}

/** Returns the number of rows of each table. */
export async function insertItems(
  place: FilledPlace,
  items: AsyncIterable<CopiedItem>,
): Promise<Record<string, number>> {
  const known = await readColumns(place.db);
  const counts = new Map<string, number>();
  let table: ReturnType<typeof requireKnownTable> | null = null;
  let batch: CopiedRow[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length > 0) await insertRows(place, batch);
    batch = [];
    bytes = 0;
  };
  for await (const item of items) {
    if ('table' in item) {
      await flush();
      if (counts.has(item.table)) throw createContentFault(`the table ${item.table} comes twice`);
      table = requireKnownTable(known, item);
      counts.set(table.name, 0);
      await place.db.deleteFrom(table.name as keyof Tables).execute();
      continue;
    }
    if (!table) throw createContentFault('a row comes before its table');
    const number = (counts.get(table.name) ?? 0) + 1;
    counts.set(table.name, number);
    const row = { table: table.name, columns: table.columns, number, values: item.row };
    requireTypedRow(row);
    batch.push(row);
    bytes += row.values.reduce<number>((sum, value) => sum + measureValue(value), 0);
    if (batch.length >= BATCH_ROWS || bytes >= BATCH_BYTES) await flush();
  }
  await flush();
  return Object.fromEntries(counts);
}

function measureValue(value: RecordValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
}

async function readColumns(db: Kysely<Tables>): Promise<ReadonlyMap<string, readonly TypedColumn[]>> {
  const names = listRecordTables();
  const tables = (await db.introspection.getTables()).filter(({ name }) => names.includes(name));
  return new Map(
    tables.map(({ name, columns }) => [
      name,
      columns.map((column) => toTypedColumn(column.name, column.dataType)),
    ]),
  );
}

/** Names become part of the SQL, so only those of the schema are accepted. */
function requireKnownTable(
  known: ReadonlyMap<string, readonly TypedColumn[]>,
  { table, columns: names }: { readonly table: string; readonly columns: readonly string[] },
) {
  const columns = names.flatMap((name) => known.get(table)?.find((column) => column.name === name) ?? []);
  if (columns.length > 0 && columns.length === new Set(names).size && columns.length === names.length)
    return { name: table, columns };
  throw createContentFault('it has a table that the schema does not have');
}

/** Inserts rows together or, if they are refused, one by one to find the refused one. */
async function insertRows({ db, engine }: FilledPlace, rows: readonly CopiedRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const values = rows.map((row) =>
    Object.fromEntries(row.columns.map(({ name }, index) => [name, row.values[index]])),
  );
  try {
    await db
      .insertInto(first.table as keyof Tables)
      .values(values)
      .execute();
  } catch (error) {
    if (engine.isUnavailable(error) || engine.mayRetry(error)) throw error;
    if (rows.length === 1) throw createRowFault(first, 'the schema refuses it');
    for (const row of rows) await insertRows({ db, engine }, [row]);
  }
}

function createContentFault(fault: string): ProgramError {
  return new ProgramError(`nothing was restored: ${fault}`, EXIT_CODES.dataError);
}
