/** The purge removes exactly what is due, exactly once, and completely. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { buildWordsUserTags } from '#cases/access.ts';
import { toDeliveryUploader } from '#cases/delivery.ts';
import { createPurger, purgeCaseNow } from '#cases/ending/purge.ts';
import { DEFAULT_KEEP_DAYS, type KeepDays } from '#cases/ending/retention.ts';
import { storeUploadPiece } from '#cases/intake/uploads.ts';
import { deriveCaseUploader } from '#cases/messages/message-files.ts';
import { updateKeepDays, updatePurgeTime } from '#cases/states.ts';
import { DAY_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/text/ids.ts';
import { type Case, findCase, findCaseByLookup } from '#store/cases/cases.ts';
import { insertContactMessage } from '#store/cases/contact-messages.ts';
import { PIECES_AT_ONCE } from '#store/cases/object-deletion.ts';
import { findPurgeDay } from '#store/cases/tombstones.ts';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import type { Tables } from '#store/schema/tables.ts';
import type { Store } from '#store/store.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import {
  listEngines,
  openPostgresEngine,
  openTestStore,
  silentLog,
  testKeyring,
} from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';
import { type SeededCase, seedCase } from './seeded-case.ts';

const cleanUp = withReverseCleanup({ after });
const MINUTE_MS = 60_000;
/** A time at which a case is found as long as it is stored. */
const BEFORE_ALL_PURGES = 0;

type PurgeFixture = ReturnType<typeof createPurgeFixture>;

function createPurgeFixture(store: Store) {
  let now = Date.UTC(2028, 1, 28, 12);
  const services = { ...createTrustedClock({ now: () => now }), keyring: testKeyring, store };
  const purger = createPurger(services, silentLog);
  return { store, services, setTime: (time: number) => (now = time), purge: () => purger.run() };
}

for (const engine of await listEngines(cleanUp))
  suite(`purging on ${engine.name}`, () => {
    const openFixture = async (t: test.TestContext) =>
      createPurgeFixture(await openTestStore(t, await engine.createDatabase(cleanUp)));
    const hasCase = async ({ store }: PurgeFixture, { record }: SeededCase) =>
      (await findCase(store.records, record.id, BEFORE_ALL_PURGES)) !== undefined;

    test('a case is purged exactly 30 days after its delivery, across a leap day, and not before', async (t) => {
      const fixture = await openFixture(t);
      const delivered = Date.UTC(2028, 1, 28, 12, 0, 1);
      const times = { submitted_at: delivered, delivered_at: delivered, purge_at: delivered + 30 * DAY_MS };
      const seeded = await seedCase(fixture.store, times);
      const due = Date.UTC(2028, 2, 29, 12, 0, 1);
      for (const at of [due - 1, due]) {
        fixture.setTime(at);
        await fixture.purge();
        assert.equal(await hasCase(fixture, seeded), at < due);
      }
    });

    test('a case with extended retention stays until its own day, and is purged at the next run once that is undone', async (t) => {
      const fixture = await openFixture(t);
      const now = Date.UTC(2028, 5, 1);
      const delivered = { submitted_at: now, delivered_at: now, purge_at: now + 30 * DAY_MS };
      const seeded = await seedCase(fixture.store, delivered);
      const keep = (record: Case, days: KeepDays) =>
        fixture.store.transaction((records) => updateKeepDays(records, record, days, Date.now()));
      const retained = await keep(seeded.record, 90);
      assert.equal(retained.purge_at, now + 90 * DAY_MS);
      fixture.setTime(now + 89 * DAY_MS);
      await fixture.purge();
      assert.equal(await hasCase(fixture, seeded), true);
      await keep(retained, DEFAULT_KEEP_DAYS);
      await fixture.purge();
      assert.equal(await hasCase(fixture, seeded), false);
    });

    test('a clock that steps back purges nothing early, and one that steps far ahead catches up', async (t) => {
      const fixture = await openFixture(t);
      const now = Date.UTC(2028, 5, 1);
      const planted = [];
      for (let index = 0; index < 120; index += 1)
        planted.push(await seedCase(fixture.store, { purge_at: now + index * MINUTE_MS }));
      fixture.setTime(now - DAY_MS);
      await fixture.purge();
      assert.equal(await countCases(fixture.store), 120);
      fixture.setTime(now + 365 * DAY_MS);
      await fixture.purge();
      assert.equal(await countCases(fixture.store), 0);
      assert.equal(await countRows(fixture.store, 'tombstones'), 120);
    });

    test('only due cases are purged, with every row, piece and key', async (t) => {
      const fixture = await openFixture(t);
      const now = Date.UTC(2028, 5, 1);
      fixture.setTime(now);
      const due = await seedCase(fixture.store, { purge_at: now }, 5_000_000);
      const later = await seedCase(fixture.store, { purge_at: now + 1 });
      const working = await seedCase(fixture.store, { state: 'in_progress', purge_at: null });
      await fixture.purge();
      assert.equal(await hasCase(fixture, due), false);
      for (const kept of [later, working]) assert.equal(await hasCase(fixture, kept), true);
      const tables = ['objects', 'object_pieces', 'case_keys'] as const;
      const counts = await Array.fromAsync(tables, (table) => countRows(fixture.store, table));
      assert.deepEqual(counts, [6, 0, 2]);
      assert.equal(await fixture.store.shredKeys.read(due.record), null);
      assert.ok(await readCaseKey(fixture.store, later.record));
    });

    test('files that were uploaded for a case and never became part of it are purged with it', async (t) => {
      const fixture = await openFixture(t);
      const { record } = await seedCase(fixture.store, { state: 'withdrawn' });
      const other = await seedCase(fixture.store, { state: 'in_progress', purge_at: null });
      const kept = toDeliveryUploader(other.record.id);
      const uploaders = [toDeliveryUploader(record.id), deriveCaseUploader(testKeyring, record.id), kept];
      for (const uploader of uploaders) {
        const upload = generateId();
        // More pieces than are deleted at a time.
        for (let piece = 0; piece <= PIECES_AT_ONCE; piece += 1)
          await storeUploadPiece(fixture.services, uploader, { upload, piece, bytes: Buffer.from('sealed') });
      }
      await purgeCaseNow(fixture.services, record.id);
      const { records } = fixture.store;
      const staged = records.selectFrom('objects').select('uploader').where('case_id', 'is', null);
      const left = (await staged.execute()).map(({ uploader }) => uploader);
      assert.deepEqual(left, [kept]);
      assert.equal(await countRows(fixture.store, 'object_pieces'), PIECES_AT_ONCE);
    });

    test('the words show the purge date for 30 days; then only tier, month and outcome are left', async (t) => {
      const fixture = await openFixture(t);
      const now = Date.UTC(2028, 5, 30, 23, 59);
      fixture.setTime(now);
      const { record } = await seedCase(fixture.store, { purge_at: now, tier: 'Dossier' });
      await fixture.purge();
      const { records } = fixture.store;
      assert.equal(await findPurgeDay(records, record.lookup_hash), '2028-06-30');
      fixture.setTime(now + 30 * DAY_MS);
      await fixture.purge();
      assert.equal(await findPurgeDay(records, record.lookup_hash), null);
      const [{ id, ...left } = { id: '' }] = await records.selectFrom('tombstones').selectAll().execute();
      assert.notEqual(id, record.id);
      const known = { tier: 'Dossier', month: '2028-06', outcome: 'delivered' };
      assert.deepEqual({ ...left }, { ...known, lookup_hash: null, purged_on: null, forget_at: null });
    });

    test('a case that is being purged cannot be extended and is not found any more', async (t) => {
      const fixture = await openFixture(t);
      const { record } = await seedCase(fixture.store, { purging: 1, purge_at: 1 });
      const { records } = fixture.store;
      assert.equal(await findCaseByLookup(records, record.lookup_hash, BEFORE_ALL_PURGES), undefined);
      await assert.rejects(updateKeepDays(records, record, 365, Date.now()), { code: 'case_changed' });
      await assert.rejects(updatePurgeTime(records, record, 5, 5), { code: 'case_changed' });
      await fixture.purge();
      assert.equal(await countCases(fixture.store), 0);
    });

    test('a purge on the buyer’s request happens at once, but not before the case has ended', async (t) => {
      const fixture = await openFixture(t);
      const ended = await seedCase(fixture.store, { purge_at: Date.UTC(2030, 1, 1) });
      const atWork = { state: 'in_progress', delivered_at: null, purge_at: null } as const;
      const working = await seedCase(fixture.store, atWork);
      await purgeCaseNow(fixture.services, ended.record.id);
      assert.equal(await hasCase(fixture, ended), false);
      await assert.rejects(purgeCaseNow(fixture.services, working.record.id), { code: 'case_state' });
      assert.equal(await hasCase(fixture, working), true);
      await assert.rejects(purgeCaseNow(fixture.services, ended.record.id), { code: 'case_unknown' });
    });

    test('a full copy of the records does not reveal the case key without its shred key', async (t) => {
      const fixture = await openFixture(t);
      const { record } = await seedCase(fixture.store, { purge_at: 1 });
      const copy = await findCase(fixture.store.records, record.id, BEFORE_ALL_PURGES);
      assert.ok(copy);
      await fixture.purge();
      assert.equal(await readCaseKey(fixture.store, copy), null);
      await assert.rejects(readSealedCase(fixture.services, copy), ServiceError);
    });

    test('a start with records that lack a case destroys no shred key', async (t) => {
      const fixture = await openFixture(t);
      const { records } = fixture.store;
      const { record } = await seedCase(fixture.store, { purge_at: null, state: 'in_progress' });
      await records.deleteFrom('object_pieces').execute();
      await records.deleteFrom('objects').execute();
      await records.deleteFrom('cases').execute();
      const restarted = createPurgeFixture(fixture.store);
      await restarted.purge();
      restarted.setTime(Date.UTC(2040, 0, 1));
      await restarted.purge();
      assert.ok(await readCaseKey(fixture.store, record));
    });

    test('words used for a second case do not block the purge, and the later purge date is shown', async (t) => {
      const fixture = await openFixture(t);
      const now = Date.UTC(2028, 5, 1);
      fixture.setTime(now);
      const { record } = await seedCase(fixture.store, { purge_at: 1 });
      await fixture.purge();
      const again = await seedCase(fixture.store, { purge_at: 1, lookup_hash: record.lookup_hash });
      const other = await seedCase(fixture.store, { purge_at: 2 });
      fixture.setTime(now + 3 * DAY_MS);
      await fixture.purge();
      for (const each of [again, other]) assert.equal(await hasCase(fixture, each), false);
      assert.equal(await findPurgeDay(fixture.store.records, record.lookup_hash), '2028-06-04');
    });

    test('the user who signed in with the words of a purged case is deleted with it', async (t) => {
      const fixture = await openFixture(t);
      const { records } = fixture.store;
      const { record } = await seedCase(fixture.store, { purge_at: 1, words_tag: 'tag of the words' });
      for (const [id, wordsTag] of [
        ['one', record.words_tag],
        ['another', 'tag of others'],
      ] as const)
        await records
          .insertInto('users')
          .values({ id, ...buildWordsUserTags(testKeyring, wordsTag, id), created_at: 1 })
          .execute();
      await fixture.purge();
      const left = (await records.selectFrom('users').select('id').execute()).map(({ id }) => id);
      assert.deepEqual(left, ['another']);
    });

    test('contact messages are deleted when their retention ends', async (t) => {
      const fixture = await openFixture(t);
      const now = Date.UTC(2028, 5, 1);
      fixture.setTime(now);
      const { records } = fixture.store;
      const message = { sealed: Uint8Array.of(1), sealed_by: 'server', received_at: now } as const;
      for (const purge_at of [now - 1, now, now + 1])
        await insertContactMessage(records, { ...message, id: generateId(), purge_at });
      await fixture.purge();
      const left = await records.selectFrom('contact_messages').select('purge_at').execute();
      assert.deepEqual([left.length, left[0]?.purge_at], [1, now + 1]);
    });
  });

test('two instances on PostgreSQL purge each case once', async (t) => {
  const engine = await openPostgresEngine(cleanUp);
  const place = await engine.createDatabase(cleanUp);
  const [one, two] = await Promise.all([openTestStore(t, place), openTestStore(t, place)]);
  for (let index = 0; index < 150; index += 1) await seedCase(one, { purge_at: index < 120 ? 1 : null });
  await Promise.all([createPurgeFixture(one).purge(), createPurgeFixture(two).purge()]);
  assert.equal(await countCases(one), 30);
  const tombstones = await one.records.selectFrom('tombstones').select('lookup_hash').execute();
  assert.equal(tombstones.length, 120);
  assert.equal(new Set(tombstones.map(({ lookup_hash }) => lookup_hash)).size, 120);
});

const countCases = (store: Store) => countRows(store, 'cases');

async function countRows({ records }: Store, table: keyof Tables): Promise<number> {
  const { count } = await records
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
