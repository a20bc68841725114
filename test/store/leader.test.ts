/** One of several instances on a PostgreSQL leads; another takes over when its lease ends or it resigns. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { sql } from 'kysely';
import { HOUR_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import type { Store } from '#store/store.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { waitUntil } from '#test/patience.ts';
import { openPostgresEngine, openTestStore, sqliteUnderTest } from './engines.ts';

const cleanUp = withReverseCleanup({ after });
const engine = await openPostgresEngine(cleanUp);

async function openInstances(t: test.TestContext): Promise<[Store, Store]> {
  const place = await engine.createDatabase(cleanUp);
  const [first, second] = [await openTestStore(t, place), await openTestStore(t, place)];
  for (const store of [first, second]) await store.tryWrite();
  return [first, second];
}

async function readRow({ records }: Store) {
  const { rows } = await sql<{ version: string; generation: number }>`
    select xmin::text || ' ' || ctid::text as version, generation from records_installation`.execute(records);
  return rows[0];
}

test('the first to write leads, and the others write nothing', async (t) => {
  const [first, second] = await openInstances(t);
  assert.deepEqual([first.leads(), second.leads()], [true, false]);
  const row = await readRow(first);
  await second.tryWrite();
  assert.deepEqual(await readRow(first), row);
  assert.equal(second.readLastWrite().ok, true);
  await first.tryWrite();
  assert.equal((await readRow(first))?.generation, (row?.generation ?? 0) + 1);
});

test('a leader ends by itself after three sweeps without a write, and another one leads then', async (t) => {
  const [first, second] = await openInstances(t);
  const now = performance.now.bind(performance);
  let passedMs = 179_000;
  t.mock.method(performance, 'now', () => now() + passedMs);
  assert.equal(first.leads(), true);
  passedMs = 181_000;
  assert.equal(first.leads(), false);
  await second.tryWrite();
  assert.equal(second.leads(), false, 'by the clock of the database it still does');
  await sql`update records_installation set leads_until = leads_until - 180000`.execute(first.records);
  await second.tryWrite();
  await first.tryWrite();
  assert.deepEqual([first.leads(), second.leads()], [false, true]);
});

test('one that resigns is followed at the next write of another, and one that does not lead resigns nothing', async (t) => {
  const [first, second] = await openInstances(t);
  await second.resign();
  await second.tryWrite();
  assert.deepEqual([first.leads(), second.leads()], [true, false]);
  await first.resign();
  assert.equal(first.leads(), false);
  await second.tryWrite();
  assert.equal(second.leads(), true);
});

test('a lease that was written while the clock of the database was ahead does not keep the others from leading', async (t) => {
  const [first, second] = await openInstances(t);
  const setBack = (ms: number) =>
    sql`update records_installation set leads_until = leads_until + ${ms}::bigint`.execute(first.records);
  await setBack(2 * HOUR_MS);
  await second.tryWrite();
  assert.equal(second.leads(), false, 'a lease may be that long');
  await setBack(40 * 24 * HOUR_MS);
  await second.tryWrite();
  assert.equal(second.leads(), true);
});

test('of many that write at once when a lease has ended, one leads', async (t) => {
  const place = await engine.createDatabase(cleanUp);
  const stores = await Promise.all([1, 2, 3, 4].map(() => openTestStore(t, place)));
  for (let round = 0; round < 5; round += 1) {
    await sql`update records_installation set leads_until = 0, leader = null`.execute(stores[0]!.records);
    await Promise.all(stores.map((store) => store.tryWrite()));
    assert.equal(stores.filter((store) => store.leads()).length, 1);
  }
});

test('an instance that does not lead is not ready on a database that takes no writes', async (t) => {
  const [first, second] = await openInstances(t);
  await sql`do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database());
    perform pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid(); end $$`.execute(first.records);
  // The first statement on a terminated connection only reports the termination.
  await waitUntil('it is told', () =>
    second.tryWrite().then(
      () => false,
      (error: unknown) => readErrorCode(error) === '25006',
    ),
  );
  assert.equal(second.readLastWrite().ok, false);
});

test('SQLite has one service, which leads from the start', async (t) => {
  const store = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  assert.equal(store.leads(), true);
  await store.resign();
  assert.equal(store.leads(), true);
});
