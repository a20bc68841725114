/** On SQLite every column holds values of its type alone, also in a database that was made before. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import test, { type TestContext } from 'node:test';
import { sql } from 'kysely';
import { stageObject } from '#store/objects.ts';
import { toDatabasePath } from '#store/sqlite.ts';
import type { Store } from '#store/store.ts';
import { openTestStore, sqliteUnderTest } from './engines.ts';
import { withFormerDatabase } from './former-database.ts';
import { fillReleasedDatabase } from './released-database.ts';

interface ListedTable {
  readonly name: string;
  readonly strict: number;
  readonly declared: string;
}

async function listTables({ records }: Pick<Store, 'records'>): Promise<ListedTable[]> {
  const { rows } = await sql<ListedTable>`
    select listed.name, listed.strict, stored.sql as declared
    from pragma_table_list as listed join sqlite_schema as stored on stored.name = listed.name
    where listed.schema = 'main' and listed.type = 'table' order by 1`.execute(records);
  return rows.map(({ name, strict, declared }) => ({
    name,
    strict,
    declared: declared.replace(/\s+/g, ' ').replaceAll(/\( | (?=\))/g, ''),
  }));
}

async function openNew(t: TestContext): Promise<Store> {
  return await openTestStore(t, await sqliteUnderTest.createDatabase(t));
}

test('every table of a new database is strict, and those of an old one are declared in the same words', async (t) => {
  const fresh = await listTables(await openNew(t));
  assert.ok(fresh.length > 30);
  for (const { name, strict } of fresh) assert.equal(strict, 1, name);
  const place = await sqliteUnderTest.createDatabase(t);
  await fillReleasedDatabase(sqliteUnderTest, place, '0.1.0');
  const upgraded = await openTestStore(t, place);
  assert.deepEqual(await listTables(upgraded), fresh);
  const { rows } = await sql<{ fault: string }>`
    select integrity_check as fault from pragma_integrity_check`.execute(upgraded.records);
  assert.deepEqual(
    rows.map(({ fault }) => fault),
    ['ok'],
  );
});

test('numbers that are none, fractions and bytes as text are refused, and the declarations stay', async (t) => {
  const { records } = await openNew(t);
  await stageObject(records, { id: 'o', holder: 'somebody', now: 1 });
  const row = { object_id: 'o', piece: 0, size: 1, bytes: Buffer.alloc(1) };
  for (const wrong of [{ piece: Infinity }, { size: 1.5 }, { bytes: 'text' as unknown as Buffer }])
    await assert.rejects(
      records
        .insertInto('object_pieces')
        .values({ ...row, ...wrong })
        .execute(),
      /cannot store/,
    );
  await sql`pragma writable_schema = on`.execute(records);
  await assert.rejects(sql`update sqlite_schema set sql = '' where name = 'cases'`.execute(records));
});

test('the upgrade writes no row of a case, ends a loose piece without a number, and is seen by open connections', async (t) => {
  const place = await sqliteUnderTest.createDatabase(t);
  const seeded = await withFormerDatabase(place, 'strict tables', async ({ records, seed }) => {
    await stageObject(records, { id: 'loose', holder: 'somebody', now: Date.now() });
    const piece = { object_id: 'loose', piece: Infinity, size: 1, bytes: Buffer.alloc(1) };
    await records.insertInto('object_pieces').values(piece).execute();
    return await seed();
  });
  const other = new DatabaseSync(toDatabasePath(place.env['DATA_DIR'] ?? ''));
  t.after(() => other.close());
  const readCase = () => ({ ...other.prepare('select rowid, * from cases').get() });
  const before = readCase();
  const { records } = await openTestStore(t, place);
  const { key_box: box, shred_slot: _, shred_id: __, ...kept } = readCase() as Record<string, unknown>;
  for (const [name, value] of Object.entries(kept)) assert.deepEqual(value, before[name], name);
  assert.equal(kept['id'], seeded.record.id);
  assert.ok(box);
  const pieces = await records.selectFrom('object_pieces').select('object_id').execute();
  assert.ok(pieces.length > 0 && pieces.every(({ object_id: id }) => id !== 'loose'));
  assert.throws(() => other.exec('update cases set due_at = 1.5'), /cannot store REAL/);
});
