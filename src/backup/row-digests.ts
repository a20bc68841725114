/** Digests of the rows of each table, to compare what is read back from a file with what should be in it. */
import { createHash, type Hash } from 'node:crypto';
import type { SnapshotTable } from '#store/engine/records-snapshot.ts';
import type { CopiedItem } from '#store/restore/insert-items.ts';
import type { RecordValue } from '#store/schema/typed-columns.ts';

interface TableDigest {
  rows: number;
  readonly hash: Hash;
}

export interface RowDigests {
  readonly addTable: (name: string, columns: readonly string[]) => void;
  readonly addRow: (values: readonly RecordValue[]) => void;
  readonly countRows: (table: string) => number;
  /** One line for each table, in their order. */
  readonly list: () => string[];
}

export function createRowDigests(): RowDigests {
  const tables = new Map<string, TableDigest>();
  let last: TableDigest | undefined;
  return {
    addTable: (name, columns) => {
      last = { rows: 0, hash: createHash('sha256').update(columns.join()) };
      tables.set(name, last);
    },
    addRow: (values) => {
      if (!last) throw new Error('a row comes before its table');
      last.rows += 1;
      for (const value of values) updateHash(last.hash, value);
    },
    countRows: (table) => tables.get(table)?.rows ?? 0,
    list: () =>
      [...tables].map(([name, { rows, hash }]) => `${name} ${rows} ${hash.copy().digest('base64url')}`),
  };
}

/** Hashes the value with its type and any length, independently of its encoding in the file. */
function updateHash(hash: Hash, value: RecordValue): void {
  const isSized = typeof value === 'string' || value instanceof Uint8Array;
  if (!isSized) {
    hash.update(`${value};`);
    return;
  }
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  hash.update(`${typeof value} ${bytes.length}:`).update(bytes);
}

/** Passes the tables through. */
export async function* hashTables(
  tables: AsyncIterable<SnapshotTable>,
  digests: RowDigests,
): AsyncGenerator<SnapshotTable> {
  for await (const table of tables) {
    digests.addTable(
      table.name,
      table.columns.map(({ name }) => name),
    );
    yield { ...table, rows: hashRows(table.rows, digests) };
  }
}

async function* hashRows(
  rows: SnapshotTable['rows'],
  digests: RowDigests,
): AsyncGenerator<readonly RecordValue[]> {
  for await (const row of rows) {
    digests.addRow(row);
    yield row;
  }
}

export async function hashItems(items: AsyncIterable<CopiedItem>): Promise<RowDigests> {
  const digests = createRowDigests();
  for await (const item of items)
    if ('table' in item) digests.addTable(item.table, item.columns);
    else digests.addRow(item.row);
  return digests;
}
