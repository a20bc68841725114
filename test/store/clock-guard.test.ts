/** The clock guard: deletions by date wait until the clock can be trusted or an operator accepts it. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { createPurger } from '#cases/ending/purge.ts';
import { toBuyerView } from '#cases/messages/buyer-view.ts';
import { requireCase } from '#cases/states.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { openLog } from '#platform/log.ts';
import { countDueCases, findCase } from '#store/cases/cases.ts';
import { listCasesByDue } from '#store/cases/desk-queue.ts';
import { acceptClock, createClockGuard, findLastSeenTime } from '#store/clock-guard.ts';
import type { Store } from '#store/store.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import {
  listEngines,
  openPostgresEngine,
  openTestStore,
  silentLog,
  sqliteUnderTest,
  testKeyring,
} from './engines.ts';

const cleanUp = withReverseCleanup({ after });
const START = Date.UTC(2028, 5, 1);

/** A machine with a settable clock, and a database whose clock agrees with it unless changed. */
function createMachine(store: Store, start = START) {
  let clock = start;
  let monotonic = 0;
  let databaseBehind = 0;
  const lines: string[] = [];
  const timed: Store = { ...store, readDatabaseTime: async () => clock - databaseBehind };
  const startGuard = () =>
    createClockGuard({
      clock: { now: () => clock },
      store: timed,
      log: openLog({ write: (line) => void lines.push(line) }),
      readMonotonic: () => monotonic,
    });
  let guard = startGuard();
  return {
    /** Lets time pass for every clock. */
    wait: (ms: number) => {
      clock += ms;
      monotonic += ms;
    },
    /** Moves only the machine's clock. */
    moveClock: (ms: number) => (clock += ms),
    setDatabaseBehind: (ms: number) => (databaseBehind = ms),
    restart: () => (guard = startGuard()),
    accept: () => acceptClock(timed, clock),
    readClock: () => clock,
    readLog: () => lines.join(''),
    readSharedTime: () => guard.sharedClock.now(),
    readTrustedTime: () => guard.readTrustedTime(),
    readLastSeen: async () => (await findLastSeenTime(store.records))?.seen_at,
    sweep: async () => {
      await guard.recordTime();
      const services = { clock: { now: () => clock }, clockGuard: guard, keyring: testKeyring, store: timed };
      await createPurger(services, silentLog).run();
      return guard.getAlarm()?.reason ?? null;
    },
  };
}

async function countStoredCases({ records }: Store): Promise<number> {
  return (await records.selectFrom('cases').select('id').where('purging', '=', 0).execute()).length;
}

for (const engine of await listEngines(cleanUp))
  suite(`the clock on ${engine.name}`, () => {
    const openMachine = async (t: test.TestContext) => {
      const store = await openTestStore(t, await engine.createDatabase(cleanUp));
      const machine = createMachine(store);
      assert.equal(await machine.sweep(), null);
      const kept = { submitted_at: START, delivered_at: START, purge_at: START + 30 * DAY_MS };
      const { record } = await seedCase(store, kept);
      return { store, machine, record };
    };

    test('a restart with the clock 31 days ahead purges nothing until an operator accepts it', async (t) => {
      const { store, machine, record } = await openMachine(t);
      machine.moveClock(31 * DAY_MS);
      machine.restart();
      assert.equal(await machine.sweep(), 'ahead');
      assert.equal(await machine.sweep(), 'ahead', 'a sweep with skew does not make the next one sure');
      assert.equal(await countStoredCases(store), 1);
      assert.equal(await machine.readLastSeen(), START, 'a clock with skew is not recorded');
      assert.match(
        machine.readLog(),
        /"clock_alarm","reason":"ahead","clock":"2028-07-02T00:00:00.000Z","expected":"2028-06-01T00:00:00.000Z"/,
      );
      assert.equal(machine.readLog().match(/clock_alarm/g)?.length, 1, 'told once');

      const now = machine.readClock();
      assert.equal(await findCase(store.records, record.id, now), undefined, 'not shown meanwhile');
      await assert.rejects(requireCase(store.records, record.id, now), { code: 'case_unknown' });
      assert.deepEqual(await listCasesByDue(store.records, { states: ['delivered'] }, { limit: 9 }, now), []);
      assert.equal(await countDueCases(store.records, now), 1);

      await machine.accept();
      assert.equal(await machine.sweep(), null);
      assert.equal(await countStoredCases(store), 0);
      assert.match(machine.readLog(), /"clock_trusted"/);
    });

    test('a clock that was wrong at the start and is put right needs no operator', async (t) => {
      const { store, machine } = await openMachine(t);
      machine.moveClock(31 * DAY_MS);
      machine.restart();
      assert.equal(await machine.sweep(), 'ahead');
      machine.moveClock(-31 * DAY_MS);
      machine.wait(MINUTE_MS);
      assert.equal(await machine.sweep(), null);
      assert.equal(await countStoredCases(store), 1);
      assert.equal(await machine.readLastSeen(), START + MINUTE_MS);
    });

    test('a service that was off for three days waits for an operator, one that was off for a day does not', async (t) => {
      const { machine } = await openMachine(t);
      machine.wait(DAY_MS);
      machine.restart();
      assert.equal(await machine.sweep(), null);
      machine.wait(3 * DAY_MS);
      machine.restart();
      assert.equal(await machine.sweep(), 'ahead');
      await machine.accept();
      assert.equal(await machine.sweep(), null);
    });

    test('a clock that jumps while the service runs has skew until it is back or accepted', async (t) => {
      const { store, machine } = await openMachine(t);
      for (const jump of [31 * DAY_MS, 2 * HOUR_MS, -2 * HOUR_MS]) {
        machine.moveClock(jump);
        assert.equal(await machine.sweep(), 'jumped');
        machine.wait(MINUTE_MS);
        assert.equal(await machine.sweep(), 'jumped', 'it does not wear off');
        machine.moveClock(-jump);
        assert.equal(await machine.sweep(), null);
      }
      machine.moveClock(50 * MINUTE_MS);
      assert.equal(await machine.sweep(), null, 'a small correction');
      assert.equal(await countStoredCases(store), 1);
      machine.moveClock(31 * DAY_MS);
      assert.equal(await machine.sweep(), 'jumped');
      await machine.accept();
      assert.equal(await machine.sweep(), null);
      assert.equal(await countStoredCases(store), 0);
    });

    test('small steps in one day add up, and those of months do not', async (t) => {
      const { machine } = await openMachine(t);
      machine.moveClock(40 * MINUTE_MS);
      assert.equal(await machine.sweep(), null);
      machine.moveClock(40 * MINUTE_MS);
      assert.equal(await machine.sweep(), 'jumped');
      machine.moveClock(-80 * MINUTE_MS);
      for (let day = 0; day < 65; day += 1) {
        machine.wait(DAY_MS + MINUTE_MS);
        machine.moveClock(MINUTE_MS);
        assert.equal(await machine.sweep(), null);
      }
    });

    test('a clock that went back does not lower the last seen time, and has skew until it is back or accepted', async (t) => {
      const { machine } = await openMachine(t);
      machine.moveClock(-10 * DAY_MS);
      machine.restart();
      assert.equal(await machine.sweep(), 'behind');
      assert.equal(await machine.readLastSeen(), START);
      machine.moveClock(10 * DAY_MS);
      assert.equal(await machine.sweep(), null);
      machine.moveClock(-10 * DAY_MS);
      machine.restart();
      await machine.accept();
      assert.equal(await machine.sweep(), null);
      assert.equal(await machine.readLastSeen(), START - 10 * DAY_MS, 'an operator may lower it');
    });

    test('a clock an hour from that of the database has skew, and is not recorded for the other instances', async (t) => {
      const { store, machine } = await openMachine(t);
      const other = createMachine(store);
      other.moveClock(2 * HOUR_MS);
      other.setDatabaseBehind(2 * HOUR_MS);
      assert.equal(await other.sweep(), 'database');
      assert.equal(await machine.readLastSeen(), START);
      assert.equal(await machine.sweep(), null);
      await other.accept();
      assert.equal(await other.sweep(), null);
      assert.equal(await machine.sweep(), 'database', 'they cannot both be right');
    });

    test('a clock that is ahead of the database releases and purges nothing early, and is told of', async (t) => {
      const { store, machine, record } = await openMachine(t);
      machine.setDatabaseBehind(3_000);
      await machine.sweep();
      assert.doesNotMatch(machine.readLog(), /clock_differs/);
      machine.setDatabaseBehind(90_000);
      for (const _ of [1, 2]) assert.equal(await machine.sweep(), null);
      assert.equal(machine.readLog().match(/"clock_differs","seconds":90/g)?.length, 1, 'told once');
      assert.equal(machine.readSharedTime(), machine.readClock() - 90_000);

      const releasedAt = machine.readClock() - MINUTE_MS;
      const held = { ...record, state_on_hold: 'in_progress', released_at: releasedAt } as const;
      assert.equal(toBuyerView(held, machine.readSharedTime()).state, 'in_progress');
      assert.equal(toBuyerView(held, machine.readClock()).state, 'delivered', 'by its own clock it is late');

      machine.wait(30 * DAY_MS + MINUTE_MS);
      assert.equal(await machine.sweep(), null);
      assert.equal(await countStoredCases(store), 1);
      machine.wait(MINUTE_MS);
      assert.equal(await machine.sweep(), null);
      assert.equal(await countStoredCases(store), 0);
    });

    test('a clock that is set since the last look at the database moves no date', async (t) => {
      const { machine } = await openMachine(t);
      machine.wait(MINUTE_MS);
      machine.moveClock(50 * MINUTE_MS);
      assert.equal(await machine.readTrustedTime(), START + MINUTE_MS);
      assert.equal(machine.readSharedTime(), START + MINUTE_MS);
    });

    test('a disk that takes no time for days raises no alarm while the service runs', async (t) => {
      const { machine, store } = await openMachine(t);
      machine.wait(5 * DAY_MS);
      await store.records.updateTable('last_seen_time').set({ seen_at: START }).execute();
      assert.equal(await machine.sweep(), null);
    });
  });

test('PostgreSQL tells the time of its own clock, SQLite has none', async (t) => {
  const postgres = await openPostgresEngine(cleanUp);
  const [there, here] = [
    await openTestStore(t, await postgres.createDatabase(cleanUp)),
    await openTestStore(t, await sqliteUnderTest.createDatabase(cleanUp)),
  ];
  const time = await there.readDatabaseTime();
  assert.ok(time !== null && Math.abs(time - Date.now()) < MINUTE_MS, String(time));
  assert.equal(await here.readDatabaseTime(), null);
});
