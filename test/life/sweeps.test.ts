/** Periodic tasks give way: between two turns of the event loop they change a few rows, however many wait. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import test from 'node:test';
import { sql } from 'kysely';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { Log } from '#platform/log.ts';
import type { TaskGroup } from '#platform/schedule.ts';
import { updateLastSeenTime } from '#store/clock-guard.ts';
import { insertOrder } from '#store/orders/orders.ts';
import type { Tables } from '#store/schema/tables.ts';
import type { Store } from '#store/store.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createTasks, listPeriodicRuns } from '#test/periodic-runs.ts';
import { scale } from '#test/scale.ts';
import { openPostgresEngine, openTestStore, silentLog, sqliteUnderTest } from '#test/store/engines.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import { insertSweptRows, MAX_SWEPT_CASES } from '#test/store/swept-rows.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';

/** A batch, and what the same turn does for other tasks. The e-mail about late cases is written in one turn. */
const MAX_ROWS = 200;
const MAX_LATE = 500;

/** What remains of the rows that were due. */
const LEFT: Readonly<Partial<Record<keyof Tables, number>>> = {
  webhook_events: 0,
  case_alerts: MAX_LATE,
  cases: MAX_LATE,
  contact_messages: 0,
  desk_challenges: 0,
  desk_sessions: 0,
  idempotency: 0,
  notices: 0,
  object_pieces: 0,
  objects: MAX_LATE,
  orders: 0,
  outbox: 0,
  provider_events: 0,
  registrations: 0,
  sign_in_codes: 0,
  tokens: 0,
};

test('a sweep with many rows to delete lets requests come in between, and deletes them all', async (t) => {
  const { env, store } = await openDatabase(t);
  await insertSweptRows(store.records, scale.sweptRows);
  const watch = watchTurns(t);
  for (const { name, run } of listRuns(env, { store })) {
    const { rows, turns } = await watch(run);
    const most = name === 'alert the desk' ? MAX_LATE + MAX_ROWS : MAX_ROWS;
    assert.ok(rows <= most, `${name} changed ${rows} rows in one turn of ${turns}`);
  }
  await assertSwept(store, Math.min(scale.sweptRows, MAX_SWEPT_CASES));
});

test('while there is clock skew only what gives access goes', async (t) => {
  const { env, store } = await openDatabase(t);
  const rows = 10;
  await insertSweptRows(store.records, rows);
  const { clock, clockGuard } = createTrustedClock();
  const withSkew = { clock, clockGuard: { ...clockGuard, readTrustedTime: async () => null } };
  for (const { run } of listRuns(env, { store, ...withSkew })) await run();
  for (const table of ['desk_challenges', 'desk_sessions', 'tokens'] as const)
    assert.equal(await countRows(store, table), 0, table);
  for (const table of ['webhook_events', 'idempotency', 'contact_messages', 'registrations'] as const)
    assert.ok((await countRows(store, table)) >= rows, table);
});

test('a purge that was begun is finished while there is clock skew, whatever the date of its case', async (t) => {
  const { env, store } = await openDatabase(t);
  const { clock, clockGuard } = createTrustedClock();
  await updateLastSeenTime(store.records, clock.now(), 0);
  const [begun, due] = [
    await seedCase(store, { state: 'delivered', purging: 1, purge_at: clock.now() + 40 * DAY_MS }),
    await seedCase(store, { state: 'delivered', purge_at: clock.now() - DAY_MS }),
  ];
  const ahead = { now: () => clock.now() + 300 * DAY_MS };
  const withSkew = { clock: ahead, clockGuard: { ...clockGuard, readTrustedTime: async () => null } };
  for (const { run } of listRuns(env, { store, ...withSkew })) await run();
  const left = await store.records.selectFrom('cases').select('id').execute();
  assert.deepEqual(
    left.map(({ id }) => id),
    [due.record.id],
  );
  assert.equal(await store.shredKeys.read(begun.record), null);
  const tombstone = await store.records.selectFrom('tombstones').selectAll().executeTakeFirstOrThrow();
  assert.ok(
    (tombstone.forget_at ?? 0) < clock.now() + 32 * DAY_MS,
    'dated by the last time that was trusted',
  );
});

test('an order that was put off by a clock far ahead is looked at when the clock is right again', async (t) => {
  const { env, store } = await openDatabase(t);
  const { clock } = createTrustedClock();
  const now = clock.now();
  const [far, near] = [now + 40 * DAY_MS, now + HOUR_MS].map((at) =>
    createSampleOrder({ created_at: now, expires_at: now + DAY_MS, check_at: at }),
  );
  for (const order of [far!, near!]) await insertOrder(store.records, order);
  for (const { run } of listRuns(env, { store })) await run();
  const { rows } = await sql<{ id: string; due: number }>`
    select id, check_at <= ${clock.now()} as due from orders`.execute(store.records);
  assert.deepEqual(
    new Map(rows.map(({ id, due }) => [id, due])),
    new Map([
      [far!.id, 1],
      [near!.id, 0],
    ]),
  );
});

test('two instances on one PostgreSQL sweep everything once between them', async (t) => {
  const { env } = await (await openPostgresEngine(t)).createDatabase(t);
  const stores = [await openTestStore(t, { env }), await openTestStore(t, { env })] as const;
  const rows = 110;
  await insertSweptRows(stores[0].records, rows);
  const events: { name: string; cases: number }[] = [];
  const log: Log = {
    ...silentLog,
    event: (name, fields = {}) => void events.push({ name, cases: Number(Object(fields).cases ?? 0) }),
  };
  const folders = await Array.fromAsync(stores, async (opened) => {
    // Both lead, as for a moment after a long pause of the previous leader.
    const store = { ...opened, leads: () => true };
    const dataDir = await createTemporaryFolder(t);
    const tasks = listRuns({ ...env, DATA_DIR: dataDir }, { store, log });
    return { dataDir, tasks };
  });
  // Each task runs at the same moment in both instances.
  for (const [index, { name }] of folders[0]!.tasks.entries()) {
    const runs = folders.map(({ tasks }) => tasks[index]!.run);
    // A batch of this task is long: on a busy machine both instances would conflict until they gave up.
    if (name === 'case events') for (const run of runs) await run();
    else await Promise.all(runs.map((run) => run()));
  }
  await assertSwept(stores[0], rows);
  const failed = events.filter(({ name }) => name.endsWith('_failed'));
  assert.deepEqual(failed, []);
  const purged = events.filter(({ name }) => name === 'purged').map(({ cases }) => cases);
  assert.equal(
    purged.reduce((sum, cases) => sum + cases, 0),
    rows,
  );
  const emails = folders.flatMap(({ dataDir }) => globSync(join(dataDir, 'mail', '*.eml')));
  assert.equal(emails.length, 1, 'the e-mail about late cases');
});

test('an instance with clock skew sweeps what gives access, and leaves the lead to one whose clock is right', async (t) => {
  const { env } = await (await openPostgresEngine(t)).createDatabase(t);
  const [store, other] = [await openTestStore(t, { env }), await openTestStore(t, { env })];
  await insertSweptRows(store.records, 1);
  const { clock, clockGuard } = createTrustedClock();
  const alarm = { reason: 'jumped', clock: 0, expected: 0 } as const;
  const withSkew = {
    clock,
    clockGuard: { ...clockGuard, getAlarm: () => alarm, readTrustedTime: async () => null },
  };
  const { look, tasks } = findSweepGroup(env, { store, ...withSkew });
  const due = [...(await look())];
  assert.equal(store.leads(), false);
  for (const name of due) await tasks[name]?.();
  assert.equal(await countRows(store, 'tokens'), 0);
  await other.tryWrite();
  assert.equal(other.leads(), true);
});

test('a table that cannot be read keeps no other from being swept', async (t) => {
  const { env, store } = await openDatabase(t);
  await insertSweptRows(store.records, 10);
  await sql`alter table draft_keys rename to unreadable`.execute(store.records);
  for (const { name, run } of listRuns(env, { store }))
    if (name === 'draft keys') await assert.rejects(run);
    else await run();
  for (const table of ['desk_sessions', 'idempotency', 'registrations'] as const)
    assert.equal(await countRows(store, table), 0, table);
});

test('the order of rows is hidden by the instance that leads, at its first sweep and then every hour', async (t) => {
  const { env, store } = await openDatabase(t);
  let hidden = 0;
  let leads = false;
  const hideRowOrder = async () => {
    hidden += 1;
  };
  const watched = { ...store, leads: () => leads, hideRowOrder };
  const now = performance.now.bind(performance);
  let passedMs = 0;
  t.mock.method(performance, 'now', () => now() + passedMs);
  const { look, tasks } = findSweepGroup(env, { store: watched });
  const sweep = async () => {
    for (const name of await look()) await tasks[name]?.();
    return hidden;
  };
  assert.equal(await sweep(), 0);
  leads = true;
  assert.equal(await sweep(), 1);
  assert.equal(await sweep(), 1);
  passedMs = HOUR_MS;
  assert.equal(await sweep(), 2);
});

async function assertSwept(store: Store, purgedCases: number): Promise<void> {
  for (const [table, left] of Object.entries(LEFT))
    assert.equal(await countRows(store, table as keyof Tables), left, table);
  const tombstones = store.records.selectFrom('tombstones').select('id').where('lookup_hash', 'is not', null);
  assert.equal((await tombstones.execute()).length, purgedCases, 'those of the cases that were just purged');
}

function listRuns(...options: Parameters<typeof createTasks>) {
  return listPeriodicRuns(createTasks(...options));
}

function findSweepGroup(...options: Parameters<typeof createTasks>): TaskGroup {
  return createTasks(...options).find(({ name }) => name === 'sweep') as TaskGroup;
}

async function openDatabase(t: test.TestContext) {
  const { env } = await sqliteUnderTest.createDatabase(t);
  return { env, store: await openTestStore(t, { env }) };
}

/**
 * Returns the turns of a run, and the most rows that it changed between two. Each reading of the clock takes as long as
 * a turn may take, so that every step that gives way does so.
 */
function watchTurns(t: test.TestContext) {
  let now = performance.now();
  t.mock.method(performance, 'now', () => (now += 10));
  const { mock: changes } = t.mock.method(StatementSync.prototype, 'run');
  const { mock: readings } = t.mock.method(StatementSync.prototype, 'all');
  const countChanged = () => {
    const returned = readings.calls.filter(
      ({ this: by }) => !/^select/i.test((by as StatementSync).sourceSQL),
    );
    const counts = [
      ...changes.calls.map(({ result }) => Number(result?.changes ?? 0)),
      ...returned.map(({ result }) => result?.length ?? 0),
    ];
    changes.resetCalls();
    readings.resetCalls();
    return counts.reduce((sum, count) => sum + count, 0);
  };
  return async (run: () => Promise<void>) => {
    let turns = 0;
    let most = 0;
    let ended = false;
    const countTurn = () => {
      most = Math.max(most, countChanged());
      turns += 1;
      if (!ended) setImmediate(countTurn);
    };
    countChanged();
    setImmediate(countTurn);
    await run().finally(() => {
      ended = true;
    });
    return { rows: Math.max(most, countChanged()), turns };
  };
}

async function countRows({ records }: Store, table: keyof Tables): Promise<number> {
  const { count } = await records
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
