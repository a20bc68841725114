/** Large rows on SQLite: numbered at random, and erased whatever their size. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import test, { type TestContext } from 'node:test';
import { sql } from 'kysely';
import { generateId } from '#platform/ids.ts';
import { insertContactMessage } from '#store/contact-messages.ts';
import { insertObjectPiece, stageObject } from '#store/objects.ts';
import { ROWID_TABLES } from '#store/random-rowid.ts';
import { toDatabasePath } from '#store/sqlite.ts';
import type { Records } from '#store/tables.ts';
import { seedCases } from '#test/cases/seeded-case.ts';
import { openTestStore, sqliteUnderTest } from './engines.ts';

async function openSqliteStore(t: TestContext) {
  const place = await sqliteUnderTest.createDatabase(t);
  return { place, store: await openTestStore(t, place) };
}

/** The first byte of a page of a B-tree (sqlite.org/fileformat.html#b_tree_pages); an overflow page begins with a number. */
const BTREE_PAGES = [2, 5, 10, 13];

function splitPages(file: Buffer): Buffer[] {
  return Array.from({ length: file.length / 4_096 }, (_, page) =>
    file.subarray(page * 4_096, (page + 1) * 4_096),
  );
}

async function stagePiece(records: Records, bytes: Uint8Array): Promise<string> {
  const objectId = generateId();
  await stageObject(records, { id: objectId, holder: 'somebody', now: 1 });
  await insertObjectPiece(records, { objectId, piece: 0, bytes });
  return objectId;
}

function buildMessage(sealed: Uint8Array, now: number) {
  return { id: generateId(), sealed, sealed_by: 'browser', received_at: now, purge_at: now + 1 } as const;
}

test('a number of a row does not tell when it was written', async (t) => {
  const { store } = await openSqliteStore(t);
  await seedCases(store, 30);
  for (let now = 1; now <= 30; now += 1)
    await insertContactMessage(store.records, buildMessage(randomBytes(10), now));
  for (const table of ROWID_TABLES) {
    const { rows } = await sql<{ small: number; below: number }>`
      select sum(abs(rowid / 4294967296) < 16) as small, sum(rowid < 0) as below from ${sql.table(table)}
    `.execute(store.records);
    assert.equal(rows[0]?.small, 0, `${table} is not counted`);
    assert.ok(rows[0].below > 0, `${table} uses the whole range`);
  }
});

test('nothing sealed is on a page that SQLite rearranges, whatever the size, and what is deleted is erased', async (t) => {
  const { place, store } = await openSqliteStore(t);
  const marker = randomBytes(12);
  await store.transaction(async (records) => {
    // From a few bytes to more than a page: every share of a row that a page of the table can take.
    for (let size = 24; size < 4_400; size += 12) {
      const sealed = Buffer.concat(Array.from({ length: size / 12 }, () => marker));
      await stagePiece(records, sealed);
      await insertContactMessage(records, buildMessage(sealed, 1));
    }
  });
  await store.erase();
  const path = toDatabasePath(place.env['DATA_DIR'] ?? '');
  const kept = splitPages(await readFile(path)).filter((page) => page.includes(marker));
  assert.ok(kept.length > 300);
  for (const page of kept) assert.ok(!BTREE_PAGES.includes(page[0] ?? 0));
  for (const table of ['object_pieces', 'contact_messages'] as const)
    await store.records.deleteFrom(table).execute();
  await store.erase();
  assert.ok(!(await readFile(path)).includes(marker));
});

test('the key of a case is on no page that SQLite rearranges, also after the case has changed', async (t) => {
  const { place, store } = await openSqliteStore(t);
  const seeded = await seedCases(store, 40);
  await store.records
    .updateTable('cases')
    .set({ owner: 'x'.repeat(43), held_state: 'received' })
    .execute();
  await store.erase();
  const pages = splitPages(await readFile(toDatabasePath(place.env['DATA_DIR'] ?? '')));
  for (const { markers } of seeded) {
    const kept = pages.filter((page) => page.includes(markers.at(-1)!));
    assert.deepEqual(
      kept.map((page) => BTREE_PAGES.includes(page[0] ?? 0)),
      [false],
    );
  }
});
