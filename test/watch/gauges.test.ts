/** The gauges show what is in the records, from indexes alone, and report when they cannot be read. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { requireCase } from '#cases/states.ts';
import { createDrain } from '#platform/http/drain.ts';
import { generateId } from '#platform/text/ids.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { addToCase } from '#store/cases/objects.ts';
import { createClockGuard } from '#store/clock-guard.ts';
import { recordBackup } from '#store/last-backup.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import type { Store } from '#store/store.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { listEngines, openTestStore, silentLog, sqliteUnderTest, testKeyring } from '#test/store/engines.ts';
import type { GaugeSources } from '#watch/gauges.ts';
import { createMetricsRenderer } from '#watch/metrics.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-15T12:10:00Z');
const cleanUp = withReverseCleanup({ after });

for (const engine of await listEngines(cleanUp))
  suite(`gauges on ${engine.name}`, () => {
    test('due, late, awaiting reply and purges are told, coarsely', async (t) => {
      const store = await openTestStore(t, await engine.createDatabase(cleanUp));
      const render = await createTestRenderer(t, store);
      const empty = await render();
      assert.deepEqual(pickGauges(empty), {
        office_cases_due_soon: 0,
        office_cases_late: 0,
        'office_outbox_entries{state="waiting"}': 0,
        'office_outbox_entries{state="dead"}': 0,
        office_outbox_oldest_age_seconds: 0,
        'office_purge_lag_seconds{kind="cases"}': 0,
        'office_purge_lag_seconds{kind="contact_messages"}': 0,
        'office_unanswered_message_age_seconds{phase="open"}': 0,
        'office_unanswered_message_age_seconds{phase="answered"}': 0,
      });
      assert.match(empty, /^# TYPE office_next_purge_timestamp_seconds gauge$/m);

      const sent = { submitted_at: NOW - 40 * HOUR_MS };
      const open = { ...sent, purge_at: null, delivered_at: null };
      await seedCase(store, { ...open, state: 'received', due_at: NOW + HOUR_MS });
      await seedCase(store, { ...open, state: 'awaiting_client', due_at: NOW + 13 * HOUR_MS });
      const late = await seedCase(store, { ...open, state: 'in_progress', due_at: NOW - 1 });
      await seedCase(store, { ...sent, state: 'delivered', due_at: NOW - 1, purge_at: NOW - 90_000 });
      const answered = await seedCase(store, {
        ...sent,
        state: 'delivered',
        due_at: NOW - 1,
        purge_at: NOW + HOUR_MS,
      });
      await addObject(store, late.record.id, 'buyer-message.v1', NOW - 5 * HOUR_MS);
      await addObject(store, late.record.id, 'desk-message.v1', NOW - 4 * HOUR_MS);
      await addObject(store, late.record.id, 'buyer-message.v1', NOW - 3 * HOUR_MS - 60_000);
      await addObject(store, late.record.id, 'buyer-message.v1', NOW - 2 * HOUR_MS);
      await addObject(store, answered.record.id, 'finding.v1', NOW - 20 * HOUR_MS);
      await addObject(store, answered.record.id, 'buyer-message.v1', NOW - 10 * HOUR_MS);
      await recordBackup(store.records, 'records', NOW - 30 * HOUR_MS);
      for (const dueAt of [NOW - 60_000, NOW + 60_000])
        await enqueueOutboxEntry(store.records, { topic: 'x', dedupe: String(dueAt), payload: {}, dueAt });
      assert.deepEqual(pickGauges(await render()), pickGauges(empty), 'kept for some seconds');
      skipTime(t, 5_000);
      assert.deepEqual(pickGauges(await render()), {
        office_cases_due_soon: 1,
        office_cases_late: 1,
        'office_outbox_entries{state="waiting"}': 1,
        'office_outbox_entries{state="dead"}': 0,
        office_outbox_oldest_age_seconds: 60,
        'office_backup_age_seconds{part="records"}': 30 * 3_600,
        'office_purge_lag_seconds{kind="cases"}': 90,
        'office_purge_lag_seconds{kind="contact_messages"}': 0,
        'office_unanswered_message_age_seconds{phase="open"}': 3 * 3_600,
        'office_unanswered_message_age_seconds{phase="answered"}': 10 * 3_600,
        office_next_purge_timestamp_seconds: Date.parse('2026-11-15T13:00:00Z') / 1_000,
      });
    });
  });

test('a gauge that cannot be read is absent and named, and the others are told', async (t) => {
  const store = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  const render = await createTestRenderer(t, store);
  assert.match(await render(), /^office_cases_late 0$/m);
  await sql`alter table cases rename to lost`.execute(store.records);
  skipTime(t, 5_000);
  const text = await render();
  assert.match(text, /^office_gauge_failed\{gauge="office_cases_late"\} 1$/m);
  assert.doesNotMatch(text, /^office_cases_late /m);
  assert.match(text, /^office_disk_free_bytes \d+$/m);
  assert.doesNotMatch(text, /^office_certificate_days_left /m, 'there is no certificate behind a proxy');
  await sql`alter table lost rename to cases`.execute(store.records);
  skipTime(t, 10_000);
  assert.match(await render(), /^office_cases_late 0$/m);
});

test('a database that never answers is told, and is no gauge that failed', async (t) => {
  const store = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  const render = await createTestRenderer(t, { ...store, ping: () => new Promise(() => {}) });
  const text = await render();
  assert.match(text, /^office_check_ok\{check="database"\} 0$/m);
  assert.match(text, /^office_check_ok\{check="writes"\} 1$/m);
});

test('scrapes at the same moment share one reading', async (t) => {
  const store = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  let readings = 0;
  const readLastWrite = () => {
    readings += 1;
    return store.readLastWrite();
  };
  const render = await createTestRenderer(t, { ...store, readLastWrite });
  await render();
  const once = readings;
  await Promise.all(Array.from({ length: 20 }, render));
  assert.equal(readings, once);
});

async function createTestRenderer(t: test.TestContext, store: Store): Promise<() => Promise<string>> {
  const clock = { now: () => NOW };
  const sources: GaugeSources = {
    config: { dataDir: await createTemporaryFolder(t) },
    services: {
      clock,
      drain: createDrain(silentLog),
      clockGuard: createClockGuard({ clock, store, log: silentLog }),
      store,
      keyring: testKeyring,
      sealingKeys: Promise.resolve({ desk: [], recovery: 'age1pq1', set: 'none', privateKeyFiles: [] }),
    },
    getCertificate: () => null,
  };
  return createMetricsRenderer(new Registry(), sources);
}

const realNow = performance.now.bind(performance);

function skipTime(t: test.TestContext, ms: number): void {
  t.mock.method(performance, 'now', () => realNow() + ms);
}

async function addObject(store: Store, caseId: string, kind: SealedKind, now: number): Promise<void> {
  const { records } = store;
  const seq = (await records.selectFrom('objects').select('id').where('case_id', '=', caseId).execute())
    .length;
  const record = await requireCase(records, caseId, 0);
  const object = { id: generateId(), kind, seq, bytes: new Uint8Array(8), now };
  await addToCase(records, object, { record, now });
}

const SHOWN = /^(office_(?:cases|unanswered|purge_lag|next_purge|outbox|backup)\S*) (\S+)$/gm;

function pickGauges(text: string): Record<string, number> {
  return Object.fromEntries([...text.matchAll(SHOWN)].map(([, name = '', value]) => [name, Number(value)]));
}
