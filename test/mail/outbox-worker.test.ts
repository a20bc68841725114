/** The outbox worker runs each entry once, retries failures with growing delays, and finally gives up. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DAY_MS } from '#platform/durations.ts';
import { openLog } from '#platform/log.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import { createOutboxWorker } from '#store/outbox-worker.ts';
import { openTestStore, sqliteUnderTest } from '#test/store/engines.ts';

const MINUTE = 60_000;

async function createOutboxBench(t: Parameters<typeof openTestStore>[0]) {
  const store = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  const time = { now: 1_000_000 };
  const log: string[] = [];
  const state = { store, time, log, done: [] as unknown[], failing: false };
  const run = createOutboxWorker({
    store,
    clock: { now: () => time.now },
    log: openLog({ write: (line) => void log.push(line) }),
    handlers: {
      known: async (payload) => {
        if (state.failing) throw new Error('canary in a message');
        state.done.push(payload);
      },
    },
  });
  return Object.assign(state, { run });
}

type OutboxBench = Awaited<ReturnType<typeof createOutboxBench>>;

const enqueueEntry = ({ store, time }: OutboxBench, dedupe: string, topic = 'known') =>
  enqueueOutboxEntry(store.records, { topic, dedupe, payload: { dedupe }, dueAt: time.now });

test('everything that is due is done once and then deleted', async (t) => {
  const office = await createOutboxBench(t);
  for (let index = 0; index < 25; index += 1) await enqueueEntry(office, `entry-${index}`);
  await Promise.all([office.run(), office.run()]);
  assert.equal(office.done.length, 25);
  await office.run();
  assert.equal(office.done.length, 25);
  assert.deepEqual(await office.store.records.selectFrom('outbox').selectAll().execute(), []);
});

test('failed work is retried with growing delays', async (t) => {
  const office = await createOutboxBench(t);
  await enqueueEntry(office, 'x');
  office.failing = true;
  const pauses: number[] = [];
  for (let attempt = 1; attempt < 8; attempt += 1) {
    await office.run();
    const { due_at } = await office.store.records
      .selectFrom('outbox')
      .select('due_at')
      .executeTakeFirstOrThrow();
    pauses.push((due_at - office.time.now) / 1_000);
    await office.run();
    office.time.now = due_at;
  }
  assert.deepEqual(pauses, [5, 10, 20, 40, 80, 160, 320]);
  office.failing = false;
  await office.run();
  assert.deepEqual(office.done, [{ dedupe: 'x' }]);
});

test('after three days work is given up, kept for the operator, and logged without its contents', async (t) => {
  const office = await createOutboxBench(t);
  await enqueueEntry(office, 'x');
  office.failing = true;
  const readEntry = () =>
    office.store.records
      .selectFrom('outbox')
      .select(['dead', 'attempts', 'due_at', 'reason'])
      .executeTakeFirstOrThrow();
  const pauses: number[] = [];
  while ((await readEntry()).dead === 0) {
    await office.run();
    const { due_at, dead } = await readEntry();
    if (dead) break;
    pauses.push((due_at - office.time.now) / MINUTE);
    office.time.now = due_at;
  }
  const { attempts, reason } = await readEntry();
  assert.equal(Math.max(...pauses), 60);
  assert.ok(
    office.time.now - 1_000_000 >= 3 * DAY_MS && office.time.now < 3 * DAY_MS + 62 * MINUTE + 1_000_000,
  );
  assert.equal(reason, 'An unexpected fault; the log says where (outbox_failed).');
  const log = office.log.join('');
  assert.equal(log.match(/"event":"outbox_failed"/g)?.length, attempts);
  assert.equal(log.match(/"event":"outbox_given_up"/g)?.length, 1);
  assert.doesNotMatch(log, /canary|dedupe/);
});

test('a service that was off for a week tries some times before it gives up', async (t) => {
  const office = await createOutboxBench(t);
  await enqueueEntry(office, 'x');
  office.time.now += 7 * DAY_MS;
  office.failing = true;
  for (let attempt = 0; attempt < 7; attempt += 1) {
    await office.run();
    office.time.now += 6 * MINUTE;
  }
  office.failing = false;
  await office.run();
  assert.deepEqual(office.done, [{ dedupe: 'x' }]);
});

test('work that was given up does not stand in the way of the same work later', async (t) => {
  const office = await createOutboxBench(t);
  await enqueueEntry(office, 'x');
  await office.store.records.updateTable('outbox').set({ dead: 1, attempts: 80, reason: 'No.' }).execute();
  assert.equal(await enqueueEntry(office, 'x'), true);
  assert.equal(await enqueueEntry(office, 'x'), false);
  await office.run();
  assert.deepEqual(office.done, [{ dedupe: 'x' }]);
});

test('work of a crashed worker is taken over by the next', async (t) => {
  const office = await createOutboxBench(t);
  await enqueueEntry(office, 'x');
  await office.store.records
    .updateTable('outbox')
    .set({ claimed_by: 'dead', claimed_until: office.time.now + MINUTE })
    .execute();
  await office.run();
  assert.deepEqual(office.done, []);
  office.time.now += MINUTE;
  await office.run();
  assert.equal(office.done.length, 1);
});

test('neither a failure nor work of an unknown topic blocks other work', async (t) => {
  const office = await createOutboxBench(t);
  await enqueueEntry(office, 'foreign', 'unknown');
  await enqueueEntry(office, 'x');
  await office.run();
  assert.deepEqual(office.done, [{ dedupe: 'x' }]);
  const left = await office.store.records.selectFrom('outbox').select(['topic', 'attempts']).execute();
  assert.deepEqual(
    left.map(({ topic, attempts }) => [topic, attempts]),
    [['unknown', 0]],
  );
});
