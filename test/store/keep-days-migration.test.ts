/** A database of the version before keeps all that it holds, and takes any number of days from then on. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { sql } from 'kysely';
import { generateId } from '#platform/ids.ts';
import { stageObject } from '#store/objects.ts';
import { stripErasurePadding } from '#store/overflow-bytes.ts';
import type { Store } from '#store/store.ts';
import type { Records } from '#store/tables.ts';
import { type SeededCase, seedCase } from '#test/cases/seeded-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { openTestStore, sqliteUnderTest, startPostgresEngine, type TestDatabase } from './engines.ts';
import { withFormerDatabase } from './former-database.ts';

const cleanUp = withReverseCleanup({ after });
const FIRST_STEP = 'any number of days on SQLite';

for (const engine of [sqliteUnderTest, await startPostgresEngine(cleanUp)]) {
  test(`a call that was booked without a time is proposed, on ${engine.name}`, async (t) => {
    const place = await engine.createDatabase(cleanUp);
    const planted = await withFormerDatabase(place, FIRST_STEP, async ({ seed }) => {
      const seeded: SeededCase[] = [];
      for (const call of ['none', 'offered', 'booked', 'held'] as const) seeded.push(await seed({ call }));
      await assert.rejects(seed({ call: 'proposed' }), 'the version before knew no such state');
      return seeded;
    });
    const store = await openTestStore(t, place);
    const calls = await store.records.selectFrom('cases').select(['id', 'call']).execute();
    assert.deepEqual(
      planted.map(({ record }) => calls.find(({ id }) => id === record.id)?.call),
      ['none', 'offered', 'proposed', 'held'],
    );
    await seedCase(store, { call: 'proposed' });
    await seedCase(store, { call: 'booked' });
    await assert.rejects(seedCase(store, { call: 'agreed' as 'booked' }));
  });

  test(`cases of the version before are as they were, and may be kept for any days, on ${engine.name}`, async (t) => {
    const place = await engine.createDatabase(cleanUp);
    const { planted, tables } = await fillFormerDatabase(place);
    const store = await openTestStore(t, place);
    const { records } = store;

    const upgraded = await readTables(records);
    assert.deepEqual(
      { ...upgraded, cases: pickSharedColumns(upgraded.cases, tables.cases) },
      { ...tables, cases: pickSharedColumns(tables.cases, upgraded.cases) },
    );
    assert.deepEqual(await listIndexes(records, engine.name), [
      'cases_by_beginning',
      'cases_by_change',
      'cases_by_holder',
      'cases_by_notice',
      'cases_by_owner',
      'cases_by_sealed_to',
      'cases_by_state',
      'cases_by_tier',
      'cases_by_words',
      'cases_held',
      ...(engine.name === 'postgres' ? ['cases_of_nobody'] : []),
      'cases_to_purge',
      'cases_to_purge_by_due',
      'cases_unanswered',
      'cases_unanswered_by_due',
      ...(engine.name === 'sqlite' ? ['cases_without_slot'] : []),
    ]);
    await seedCase(store, { keep_days: 14 });
    await assert.rejects(seedCase(store, { keep_days: 0 }));
    await assert.rejects(seedCase(store, { lookup_hash: planted[0]!.record.lookup_hash }));
    await assert.rejects(
      records.deleteFrom('cases').where('id', '=', planted[0]!.record.id).execute(),
      'its objects still hold it',
    );
    await assert.rejects(
      records.insertInto('objects').values({ id: generateId(), case_id: generateId(), kept_at: 0 }).execute(),
      'there is no such case',
    );
    if (engine.name === 'sqlite') await assertNoCopies(store, place, planted);
  });
}

/** What the version before would have left: a case for each number of days, one that is open, an upload. */
async function fillFormerDatabase(place: TestDatabase) {
  return await withFormerDatabase(place, FIRST_STEP, async ({ records, seed }) => {
    const planted: SeededCase[] = [];
    for (const days of [30, 90, 180, 365]) planted.push(await seed({ keep_days: days, owner: 'a client' }));
    planted.push(await seed({ state: 'received', delivered_at: null, purge_at: null }));
    await assert.rejects(seed({ keep_days: 14 }), 'the version before knew no 14 days');
    await stageObject(records, { id: generateId(), holder: 'somebody', now: 1 });
    return { planted, tables: await readTables(records) };
  });
}

async function readTables(records: Records) {
  const cases = await records.selectFrom('cases').selectAll().orderBy('id').execute();
  const pieces = await records.selectFrom('object_pieces').selectAll().orderBy('object_id').execute();
  return {
    cases: cases.map((row) => ({ ...row, key_box: stripErasurePadding(row.key_box) })),
    objects: await records.selectFrom('objects').selectAll().orderBy('id').execute(),
    pieces: pieces.map((row) => ({ ...row, bytes: stripErasurePadding(row.bytes) })),
  };
}

/** Without the columns that the other rows do not have. */
function pickSharedColumns(rows: readonly object[], others: readonly object[]): object[] {
  const columns = Object.keys(others[0] ?? {});
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => columns.includes(name))),
  );
}

async function listIndexes(records: Records, engine: 'sqlite' | 'postgres'): Promise<string[]> {
  const query =
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'index' and tbl_name = 'cases'`
      : sql<{ name: string }>`select indexname as name from pg_indexes where tablename = 'cases'`;
  const { rows } = await query.execute(records);
  return rows
    .map(({ name }) => name)
    .filter((name) => name.startsWith('cases_') && !/_(?:p?key)$/.test(name))
    .toSorted();
}

/** What was copied to and fro is overwritten: of each key box the files hold one. */
async function assertNoCopies(
  store: Store,
  { env }: TestDatabase,
  planted: readonly SeededCase[],
): Promise<void> {
  const { rows } = await sql`pragma foreign_key_check`.execute(store.records);
  assert.deepEqual(rows, []);
  await store.erase();
  const folder = env['DATA_DIR'] ?? '';
  const names = (await readdir(folder)).filter((name) => name.startsWith('inquiry-office.db'));
  const files = await Promise.all(names.map((name) => readFile(join(folder, name))));
  for (const { markers } of planted) assert.equal(countOccurrences(Buffer.concat(files), markers.at(-1)!), 1);
}

function countOccurrences(bytes: Buffer, part: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(part); at >= 0; at = bytes.indexOf(part, at + 1)) count += 1;
  return count;
}
