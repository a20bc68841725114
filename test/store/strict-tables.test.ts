/** On SQLite, every column accepts only values of its type, also in an older database. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { sql } from 'kysely';
import { stageObject } from '#store/cases/staged-objects.ts';
import { toRowNumber } from '#store/engine/row-number.ts';
import type { Store } from '#store/store.ts';
import { openTestStore, sqliteUnderTest } from './engines.ts';
import { fillReleasedDatabase, RELEASED_VERSIONS } from './released-database.ts';

interface ListedTable {
  readonly name: string;
  readonly strict: number;
  readonly declared: string;
}

async function listTables({ records }: Pick<Store, 'records'>): Promise<ListedTable[]> {
  const { rows } = await sql<ListedTable>`
    select listed.name, listed.strict, stored.sql as declared
    from pragma_table_list as listed join sqlite_schema as stored on stored.name = listed.name
    where listed.schema = 'main' and listed.type = 'table'
      -- Kysely's own
      and listed.name not in ('schema_steps', 'schema_lock') order by 1`.execute(records);
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
  for (const version of RELEASED_VERSIONS) {
    const place = await sqliteUnderTest.createDatabase(t);
    await fillReleasedDatabase(sqliteUnderTest, place, version);
    const upgraded = await openTestStore(t, place);
    assert.deepEqual(await listTables(upgraded), fresh, version);
    const { rows } = await sql<{ fault: string }>`
      select integrity_check as fault from pragma_integrity_check`.execute(upgraded.records);
    assert.deepEqual(
      rows.map(({ fault }) => fault),
      ['ok'],
    );
  }
});

test('numbers that are none, fractions and bytes as text are refused, and the declarations stay', async (t) => {
  const { records } = await openNew(t);
  await stageObject(records, { id: 'o', uploader: 'stranger', now: 1 });
  const row = { number: 1, object_number: toRowNumber('o'), piece: 1, size: 1, bytes: Buffer.alloc(1) };
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
