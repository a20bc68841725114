/** On SQLite, large rows have numbers derived from their ids, and contact messages of any size are erased. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { sql } from 'kysely';
import { generateId } from '#platform/text/ids.ts';
import { insertContactMessage } from '#store/cases/contact-messages.ts';
import { computeObjectSize, findObjectPiece } from '#store/cases/objects.ts';
import { bindObject, stageObject } from '#store/cases/staged-objects.ts';
import { toRowNumber } from '#store/engine/row-number.ts';
import { toDatabasePath } from '#store/engine/sqlite.ts';
import { seedCases } from '#test/cases/seeded-case.ts';
import { openTestStore, sqliteUnderTest } from './engines.ts';

/** The first bytes of B-tree pages (sqlite.org/fileformat.html#b_tree_pages); an overflow page begins with a number. */
const BTREE_PAGES = [2, 5, 10, 13];

const caseObject = { caseId: 'a case', kind: 'inquiry.v1', seq: 0 } as const;

function splitPages(file: Buffer): Buffer[] {
  return Array.from({ length: file.length / 4_096 }, (_, page) =>
    file.subarray(page * 4_096, (page + 1) * 4_096),
  );
}

test("the number of a row is SQLite's own, and made of the id alone", async (t) => {
  const store = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  await seedCases(store, 30);
  for (const [table, id] of [
    ['case_keys', 'case_id'],
    ['objects', 'id'],
  ] as const) {
    const { rows } = await sql<{ own: number; id: string }>`
      select rowid as own, ${sql.ref(id)} as id from ${sql.table(table)}`.execute(store.records);
    assert.ok(rows.length >= 30);
    for (const row of rows) assert.equal(row.own, toRowNumber(row.id));
  }
});

test('a row of another id with the same number is not taken for it', async (t) => {
  const { records } = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  const other = {
    number: toRowNumber('mine'),
    id: 'other',
    uploader: 'them',
    kept_at: 1,
    bytes: Buffer.alloc(9),
  };
  await records.insertInto('objects').values(other).execute();
  assert.equal(await stageObject(records, { id: 'mine', uploader: 'them', now: 1 }), false);
  assert.equal(await findObjectPiece(records, 'mine', 0), undefined);
  assert.equal(await computeObjectSize(records, 'mine'), null);
  assert.equal(
    await bindObject(records, { id: 'mine', uploader: 'them' }, { ...caseObject, size: 9, now: 1 }),
    false,
  );
});

test('no contact message is on a page that SQLite rearranges, and what is deleted is erased', async (t) => {
  const place = await sqliteUnderTest.createDatabase(t);
  const store = await openTestStore(t, place);
  const marker = randomBytes(12);
  await store.transaction(async (records) => {
    // From a few bytes to more than a page: every part of a row that can be on a page of the table.
    for (let size = 24; size < 4_400; size += 12) {
      const sealed = Buffer.concat(Array.from({ length: size / 12 }, () => marker));
      const message = {
        id: generateId(),
        sealed,
        sealed_by: 'browser',
        received_at: 1,
        purge_at: 2,
      } as const;
      await insertContactMessage(records, message);
    }
  });
  await store.erase();
  const path = toDatabasePath(place.env['DATA_DIR'] ?? '');
  const kept = splitPages(await readFile(path)).filter((page) => page.includes(marker));
  assert.ok(kept.length > 300);
  for (const page of kept) assert.ok(!BTREE_PAGES.includes(page[0] ?? 0));
  await store.records.deleteFrom('contact_messages').execute();
  await store.erase();
  assert.ok(!(await readFile(path)).includes(marker));
});
