/** Readiness reports whether the last periodic write succeeded, and never writes itself. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { sql } from 'kysely';
import { buildTestApp } from '#test/test-app.ts';
import { buildReadinessReport, checkReadiness } from '#watch/readiness.ts';

test('a service that cannot write is not ready until a write succeeds again, and logs each change once', async (t) => {
  const { get, readLog, store } = await buildTestApp(t);
  assert.equal((await get('/api/ready')).status, 200);
  await store.tryWrite();
  assert.equal((await get('/api/ready')).status, 200);
  await sql`create trigger full_disk before update on records_installation begin select raise(abort, 'full'); end`.execute(
    store.records,
  );
  await assert.rejects(store.tryWrite());
  const refused = await get('/api/ready');
  assert.deepEqual([refused.status, refused.json['code']], [503, 'not_ready']);
  assert.equal((await get('/api/health')).status, 200);
  await sql`drop trigger full_disk`.execute(store.records);
  assert.equal((await get('/api/ready')).status, 503, 'still the last result');
  await store.retryFailedWrite();
  for (let probe = 0; probe < 2; probe += 1) assert.equal((await get('/api/ready')).status, 200);
  const told = readLog().match(/"event":"(?:not_ready|ready|request_failed)".*/g);
  assert.deepEqual(told, [
    '"event":"not_ready","check":"writes","reason":"SQLITE_CONSTRAINT:1811"}',
    '"event":"ready"}',
  ]);
});

test('a service whose last write is three sweeps ago is not ready, though none has failed', async (t) => {
  const { get, store } = await buildTestApp(t, { env: { SWEEP_SECONDS: '60' } });
  await store.tryWrite();
  const now = performance.now.bind(performance);
  let passedMs = 170_000;
  t.mock.method(performance, 'now', () => now() + passedMs);
  assert.equal((await get('/api/ready')).status, 200);
  passedMs = 181_000;
  const refused = await get('/api/ready');
  assert.deepEqual([refused.status, refused.json['code']], [503, 'not_ready']);
  await store.tryWrite();
  assert.equal((await get('/api/ready')).status, 200);
});

test('a service with clock skew, another master key or a lost column is not ready, and says why only to the operator', async (t) => {
  const { get, services, store } = await buildTestApp(t);
  const readFaults = async () => {
    const refused = await get('/api/ready');
    assert.deepEqual([refused.status, refused.json['code']], [503, 'not_ready']);
    const { status, checks } = buildReadinessReport(await checkReadiness(services));
    assert.equal(status, 'not_ready');
    const faults = checks.filter(({ ok }) => !ok);
    for (const { reason } of faults) assert.ok(reason && !refused.text.includes(reason));
    return faults;
  };
  const alarm = { reason: 'jumped', clock: 2, expected: 1 } as const;
  const skew = t.mock.method(services.clockGuard, 'getAlarm', () => alarm);
  assert.deepEqual(await readFaults(), [{ name: 'clock', ok: false, age_seconds: 0, reason: 'jumped' }]);
  skew.mock.restore();
  assert.equal((await get('/api/ready')).status, 200);
  await store.records.insertInto('master_keys').values({ tag: 'another', sealed_at: 1 }).execute();
  const other = { name: 'master_keys', ok: false, age_seconds: 0, reason: 'other_key' };
  assert.deepEqual(await readFaults(), [other]);
  await store.records.deleteFrom('master_keys').execute();
  await sql`alter table outbox rename column reason to renamed`.execute(store.records);
  const lost = { name: 'tables', ok: false, age_seconds: 0, reason: 'outbox.reason' };
  assert.deepEqual(await readFaults(), [lost]);
});

test('another process that is writing does not make the service unready', async (t) => {
  const { get, store } = await buildTestApp(t);
  const other = new DatabaseSync(store.engine.location);
  t.after(() => other.close());
  other.exec('begin immediate');
  const written = store.tryWrite();
  setTimeout(() => other.exec('commit'), 100);
  await written;
  assert.equal((await get('/api/ready')).status, 200);
});

test('a probe writes nothing', async (t) => {
  const { get, store } = await buildTestApp(t);
  await store.tryWrite();
  const countChanges = async () =>
    (await sql<{ changes: number }>`select total_changes() as changes`.execute(store.records)).rows[0]
      ?.changes;
  const before = await countChanges();
  for (let index = 0; index < 5; index += 1) assert.equal((await get('/api/ready')).status, 200);
  assert.equal(await countChanges(), before);
});
