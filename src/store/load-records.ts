/** Loads copied records and shred keys into an empty place, where they then belong together as one pair. */
import { Kysely } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';
import { createCommit } from './commit.ts';
import type { DatabaseEngine } from './engine.ts';
import { insertFormerPairings } from './former-pairings.ts';
import { listCasesWithoutKey } from './key-inspection.ts';
import { migrateSchema } from './migrate.ts';
import { schemaMigrations } from './migrations.ts';
import { replacePairing } from './pairing.ts';
import { isRecordTable } from './schema-tables.ts';
import type { Pairing, ShredKeyCopy, ShredKeys } from './shred-keys.ts';
import type { RecordValue } from './snapshot-connection.ts';
import { openDatabaseEngine } from './store.ts';
import type { Records, Tables } from './tables.ts';

/** What is inserted at once. */
const BATCH_ROWS = 50;
const BATCH_BYTES = 4 * 1024 * 1024;

export type CopiedItem =
  | { readonly table: string; readonly columns: readonly string[] }
  | { readonly row: readonly RecordValue[] };

export interface RecordsToLoad {
  /** How many steps of the schema the records had. */
  readonly steps: number;
  readonly items: AsyncIterable<CopiedItem>;
  readonly keys: readonly ShredKeyCopy[];
  /** What records of earlier backups may be paired with. */
  readonly former: readonly Pairing[];
}

export interface LoadedRecords {
  readonly rows: Readonly<Record<string, number>>;
  /** Cases whose key was destroyed after the records were copied: marked, to be purged. */
  readonly purged: number;
  /** Cases whose key was damaged already. */
  readonly unreadable: number;
  /** Keys of cases that came after the records were copied. */
  readonly missing: number;
}

interface LoadOptions {
  readonly config: Pick<Config, 'dataDir' | 'store'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The rows are inserted at the schema that they were copied from, and then migrated like any others. */
export async function loadRecords(options: LoadOptions, copy: RecordsToLoad): Promise<LoadedRecords> {
  const engine = await openDatabaseEngine({ ...options, restoring: true });
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  let shredKeys: ShredKeys | undefined;
  try {
    const schema = { ...options, db, engine };
    await migrateSchema({ ...schema, migrations: schemaMigrations.slice(0, copy.steps) });
    const rows = await insertItems(db, copy.items);
    await migrateSchema({ ...schema, migrations: schemaMigrations });
    await engine.writeShredKeys(db, copy.keys);
    shredKeys = await engine.openShredKeys(db, options.clock);
    const counts = await joinWithKeys({ db, engine, shredKeys }, copy, options.clock.now());
    return { rows, ...counts };
  } finally {
    await db.destroy();
    await shredKeys?.close();
  }
}

interface LoadedStore {
  readonly db: Kysely<Tables>;
  readonly engine: DatabaseEngine;
  readonly shredKeys: ShredKeys;
}

async function joinWithKeys(
  { db, engine, shredKeys }: LoadedStore,
  { keys, former }: RecordsToLoad,
  now: number,
): Promise<Omit<LoadedRecords, 'rows'>> {
  const commit = createCommit(db, engine.mayRetry, shredKeys);
  const missing = await countKeysWithoutCase(db, keys);
  const lost = { purged: 0, unreadable: 0 };
  for await (const { id, state } of listCasesWithoutKey(db, shredKeys)) {
    lost[state === 'damaged' ? 'unreadable' : 'purged'] += 1;
    // The keys are newer than the records, so a key that is not there was destroyed.
    if (state !== 'damaged') await commit((records) => markAsPurging(records, id, now));
  }
  await commit((records) => insertFormerPairings(records, former));
  await replacePairing({ commit, shredKeys });
  return { ...lost, missing };
}

async function markAsPurging(records: Records, id: string, now: number): Promise<void> {
  await records.updateTable('cases').set({ purging: 1, purge_at: now }).where('id', '=', id).execute();
}

async function countKeysWithoutCase(records: Records, keys: readonly ShredKeyCopy[]): Promise<number> {
  const rows = await records.selectFrom('cases').select(['id', 'shred_id']).execute();
  const known = new Set(rows.map(({ id, shred_id: slotId }) => slotId ?? id));
  return keys.filter(({ id, key }) => key !== null && !known.has(id)).length;
}

interface OpenTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Returns the number of rows of each table. */
async function insertItems(
  db: Kysely<Tables>,
  items: AsyncIterable<CopiedItem>,
): Promise<Record<string, number>> {
  const known = await readColumns(db);
  const counts: Record<string, number> = {};
  let table: OpenTable | null = null;
  let rows: (readonly RecordValue[])[] = [];
  let bytes = 0;
  const flush = async () => {
    if (table && rows.length > 0) await insertRows(db, table, rows);
    rows = [];
    bytes = 0;
  };
  for await (const item of items) {
    if ('table' in item) {
      await flush();
      table = requireKnownTable(known, item);
      counts[table.name] = 0;
      await db.deleteFrom(table.name as keyof Tables).execute();
      continue;
    }
    if (!table) throw new Error('a row without a table');
    rows.push(item.row);
    bytes += item.row.reduce<number>((sum, value) => sum + measureValue(value), 0);
    counts[table.name] = (counts[table.name] ?? 0) + 1;
    if (rows.length >= BATCH_ROWS || bytes >= BATCH_BYTES) await flush();
  }
  await flush();
  return counts;
}

function measureValue(value: RecordValue): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
}

async function readColumns(db: Kysely<Tables>): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const tables = await db.introspection.getTables();
  return new Map(tables.map(({ name, columns }) => [name, new Set(columns.map((column) => column.name))]));
}

/** Names become part of the SQL, so only those of the schema are taken. */
function requireKnownTable(
  known: ReadonlyMap<string, ReadonlySet<string>>,
  { table, columns }: { readonly table: string; readonly columns: readonly string[] },
): OpenTable {
  const names = known.get(table);
  if (!isRecordTable(table) || !names || !columns.every((column) => names.has(column)))
    throw new Error('a table that the schema does not have');
  return { name: table, columns };
}

async function insertRows(
  db: Kysely<Tables>,
  { name, columns }: OpenTable,
  rows: readonly (readonly RecordValue[])[],
): Promise<void> {
  const values = rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
  await db
    .insertInto(name as keyof Tables)
    .values(values)
    .execute();
}
