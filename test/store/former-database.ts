/** A database as an earlier version left it: the schema before a given step, filled by the test. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { generateId } from '#platform/ids.ts';
import type { Case } from '#store/cases.ts';
import { migrateSchema } from '#store/migrate.ts';
import { schemaMigrations } from '#store/migrations.ts';
import type { insertObjectPiece } from '#store/objects.ts';
import type { Order } from '#store/orders.ts';
import { stripErasurePadding } from '#store/overflow-bytes.ts';
import { openPostgres } from '#store/postgres.ts';
import { openSqlite } from '#store/sqlite.ts';
import type { Records, Tables } from '#store/tables.ts';
import { buildSeededCase, insertSeededObjects, type SeededCase } from '#test/cases/seeded-case.ts';
import { silentLog, type TestDatabase } from './engines.ts';

interface FormerDatabase {
  /** Typed as the tables are now: only columns that existed then may be used. */
  readonly records: Kysely<Tables>;
  /** Stores a case with its shred key as version 0.1.0 did. */
  readonly seed: (changes?: Partial<Case>) => Promise<SeededCase>;
}

/** Runs the steps before the named one, then the work; the next store that opens the database upgrades it. */
export async function withFormerDatabase<Result>(
  { env }: TestDatabase,
  firstNewStep: string,
  work: (database: FormerDatabase) => Promise<Result>,
): Promise<Result> {
  const { dataDir, store } = readConfig(env);
  const engine = store.databaseUrl
    ? await openPostgres({ url: store.databaseUrl, log: silentLog })
    : await openSqlite(dataDir);
  const records = new Kysely<Tables>({ dialect: engine.dialect });
  const index = schemaMigrations.findIndex(({ name }) => name === firstNewStep);
  assert.ok(index > 0, firstNewStep);
  const migrations = schemaMigrations.slice(0, index);
  await migrateSchema({ db: records, engine, migrations, clock: systemClock, log: silentLog });
  // Earlier versions stored no hashes.
  await sql`drop table schema_hashes`.execute(records);
  const insertKey = store.databaseUrl ? insertKeyRow : createKeyFile(join(dataDir, 'shred.db'));
  try {
    return await work({ records, seed: (changes = {}) => seedFormerCase(records, insertKey, changes) });
  } finally {
    await records.destroy();
  }
}

async function seedFormerCase(
  records: Kysely<Tables>,
  insertKey: typeof insertKeyRow,
  changes: Partial<Case>,
): Promise<SeededCase> {
  const key = randomBytes(32);
  const place = { shred_slot: null, shred_id: null };
  const seeded = buildSeededCase({ id: generateId(), key, place, changes });
  const { key_box: box } = seeded.record;
  await records.transaction().execute(async (transaction) => {
    await insertFormerRow(transaction, 'cases', {
      ...seeded.record,
      key_box: padAsBefore(stripErasurePadding(box)),
    });
    await insertSeededObjects(transaction, seeded, 600, insertFormerPiece);
    await insertKey(transaction, seeded.record.id, padAsBefore(key));
  });
  return seeded;
}

/** The padding of version 0.1.0. */
export function padAsBefore(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.alloc(1_024), bytes]);
}

const insertFormerPiece: typeof insertObjectPiece = async (records, { objectId, piece, bytes }) => {
  const row = { object_id: objectId, piece, size: bytes.length, bytes: padAsBefore(bytes) };
  await records.insertInto('object_pieces').values(row).execute();
};

/** Leaves out the columns that later steps add. */
export async function insertFormerRow(
  records: Kysely<Tables>,
  table: 'cases' | 'orders',
  row: Case | Order,
): Promise<void> {
  const tables = await records.introspection.getTables();
  const columns = tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? [];
  const values = Object.fromEntries(Object.entries(row).filter(([name]) => columns.includes(name)));
  await records
    .insertInto(table)
    .values(values as Case & Order)
    .execute();
}

async function insertKeyRow(records: Records, caseId: string, key: Uint8Array): Promise<void> {
  const row = sql`insert into shred_keys (case_id, key, bound, made_at) values (${caseId}, ${key}, 1, 1)`;
  await row.execute(records);
}

/** With the statements of version 0.1.0. */
function createKeyFile(path: string): typeof insertKeyRow {
  const withDatabase = (work: (database: DatabaseSync) => void) => {
    const database = new DatabaseSync(path);
    database.exec('pragma journal_mode = delete; pragma synchronous = extra; pragma secure_delete = on');
    work(database);
    database.close();
  };
  withDatabase((database) =>
    database.exec(`create table if not exists shred_keys (
      case_id text not null primary key,
      key bytea not null,
      bound smallint not null check (bound in (0, 1)),
      made_at bigint not null
    ) without rowid;
    create index if not exists shred_keys_unbound on shred_keys (made_at) where bound = 0`),
  );
  return async (_, caseId, key) =>
    withDatabase((database) => {
      database.prepare('insert into shred_keys values (?, ?, 1, 1)').run(caseId, key);
    });
}
