/** Counts of cases by week and month reveal nothing about a single case, and a purge does not change them. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { countByWeek } from '#cases/desk/week-counts.ts';
import { createPurger } from '#cases/ending/purge.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngines, openTestStore, silentLog, testKeyring } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';
import { seedCase } from './seeded-case.ts';

const cleanUp = withReverseCleanup({ after });
/** A Sunday. */
const SENT = Date.UTC(2026, 10, 15, 22);
const SOON = SENT + 10 * DAY_MS;

for (const engine of await listEngines(cleanUp))
  suite(`counts by week on ${engine.name}`, () => {
    test('cases count in the week in which they came and ended, before and after their purge', async (t) => {
      const store = await openTestStore(t, await engine.createDatabase(cleanUp));
      let now = SENT + 3 * DAY_MS;
      const services = { ...createTrustedClock({ now: () => now }), keyring: testKeyring, store };
      const sent = { submitted_at: SENT, purge_at: SOON } as const;
      const inHours = (hours: number) => ({ ...sent, delivered_at: SENT + hours * HOUR_MS });
      await seedCase(store, { ...inHours(1), finding_opened: 1 });
      await seedCase(store, { ...inHours(13), tier: 'Dossier' });
      await seedCase(store, inHours(50));
      await seedCase(store, {
        ...inHours(80),
        released_at: SENT + 80 * HOUR_MS,
        state_on_hold: 'in_progress',
      });
      await seedCase(store, { ...sent, state: 'declined', delivered_at: null });
      await seedCase(store, { ...sent, state: 'received', delivered_at: null, purge_at: null });
      const readCounts = async () =>
        (await countByWeek(store.records, now))
          .map(({ period, what, counted }) => `${period} ${what}: ${counted}`)
          .toSorted();
      assert.deepEqual(await readCounts(), [
        '2026-11 delivered: 3',
        '2026-11 opened: 1',
        '2026-11-09 declined: 1',
        '2026-11-09 hours 0: 1',
        '2026-11-09 sent Dossier: 1',
        '2026-11-09 sent Trace: 5',
        '2026-11-16 hours 12: 1',
        '2026-11-16 hours late: 1',
      ]);
      now = SENT + 4 * DAY_MS;
      const before = await readCounts();
      now = SOON;
      await createPurger(services, silentLog).run();
      assert.deepEqual(await readCounts(), before);
      const { id } = (await store.records.selectFrom('cases').select('id').executeTakeFirst())!;
      assert.doesNotMatch(
        JSON.stringify(await store.records.selectFrom('case_counts').selectAll().execute()),
        new RegExp(id),
      );
      now = SENT + 300 * DAY_MS;
      assert.deepEqual(await readCounts(), [], 'what is long ago is not told');
    });
  });
