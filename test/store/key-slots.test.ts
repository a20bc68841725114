/** Shred keys beside SQLite: each in one slot of one file, synced before its case, overwritten before its rows go. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after, suite, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createPurger, purgeCaseNow } from '#cases/ending/purge.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { generateId } from '#platform/text/ids.ts';
import { findCaseKey, replaceCaseKey } from '#store/cases/case-keys.ts';
import type { Case } from '#store/cases/cases.ts';
import { listCasesWithoutKey } from '#store/cases/key-inspection.ts';
import { decodeSlot, encodeSlot, SLOT_BYTES } from '#store/keys/key-slot.ts';
import { openKeySlots, writeSlotCopies } from '#store/keys/key-slots.ts';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import { openStore } from '#store/store.ts';
import { seedCase, seedCases } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { waitUntil } from '#test/patience.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';
import { openPostgresEngine, openTestStore, silentLog, sqliteUnderTest, testKeyring } from './engines.ts';

const cleanUp = withReverseCleanup({ after });
const LATER = Date.UTC(2040, 0, 1);
const HEADER_BYTES = 4096;
const CHUNK_BYTES = 1024 * SLOT_BYTES;

async function openFolder(t: TestContext) {
  const folder = await createTemporaryFolder(t);
  const place = { env: { DATA_DIR: folder } };
  const path = join(folder, 'shred.keys');
  const readSlot = async ({ key_slot: number }: Case) => {
    const at = HEADER_BYTES + (number ?? Number.NaN) * SLOT_BYTES;
    return decodeSlot(number ?? 0, (await readFile(path)).subarray(at, at + SLOT_BYTES));
  };
  const writeSlot = async ({ key_slot: number }: Case, bytes: Buffer) => {
    await using file = await open(path, 'r+');
    await file.write(bytes, 0, bytes.length, HEADER_BYTES + (number ?? Number.NaN) * SLOT_BYTES);
  };
  return { folder, place, path, store: await openTestStore(t, place), readSlot, writeSlot };
}

test('a shred key is in one place of one file, and in none after the purge', async (t) => {
  const { folder, store } = await openFolder(t);
  const { record, markers } = await seedCase(store, { purge_at: 1 });
  const [, key = Buffer.alloc(0), ciphertext = Buffer.alloc(0)] = markers;
  assert.deepEqual(await findInFolder(folder, key), ['shred.keys']);
  assert.notEqual((await findInFolder(folder, ciphertext)).length, 0);
  await createPurger({ ...createTrustedClock(), keyring: testKeyring, store }, silentLog).run();
  assert.deepEqual(await findInFolder(folder, key), []);
  assert.equal(await store.shredKeys.read(record), null);
});

test('the keys of all cases of one commit are written and synced once, before the commit', async (t) => {
  const { store } = await openFolder(t);
  await seedCase(store);
  await using anyFile = await open('package.json');
  const datasync = t.mock.method(Object.getPrototypeOf(anyFile) as typeof anyFile, 'datasync');
  const syncsBeforeCommit: number[] = [];
  const { sync } = store.shredKeys;
  t.mock.method(store.shredKeys, 'sync', async (...parameters: Parameters<typeof sync>) => {
    await sync.apply(store.shredKeys, parameters);
    syncsBeforeCommit.push(datasync.mock.callCount());
  });
  const seeded = await Promise.all(Array.from({ length: 20 }, () => seedCase(store)));
  // One sync for each commit; a busy machine needs several commits.
  const commits = syncsBeforeCommit.length;
  assert.deepEqual(
    syncsBeforeCommit,
    Array.from({ length: commits }, (_none, index) => index + 1),
  );
  assert.ok(commits < seeded.length, `${commits} commits`);
  assert.equal(datasync.mock.callCount(), commits);
  for (const { record } of seeded) assert.ok(await readCaseKey(store, record));
});

test('a case that was rolled back leaves nothing in the file', async (t) => {
  const { store, path } = await openFolder(t);
  const before = await readFile(path);
  const failing = Array.from({ length: 5 }, () =>
    store.transaction(async (records) => {
      await store.shredKeys.create(records, 'never stored');
      throw new Error('no payment');
    }),
  );
  const results = await Promise.allSettled([...failing, seedCase(store)]);
  assert.deepEqual(
    results.map(({ status }) => status),
    [...failing.map(() => 'rejected'), 'fulfilled'],
  );
  assert.equal(countUsed(await readFile(path)), countUsed(before) + 1);
});

test('a freed slot has its id and its day, and is used again after 90 days only', async (t) => {
  const { folder, store, path, readSlot } = await openFolder(t);
  let now = Date.UTC(2030, 0, 1, 23);
  await store.close();
  const clock = { now: () => now };
  const timed = await openStore({ config: readConfig({ DATA_DIR: folder }), clock, log: silentLog });
  t.after(() => timed.close());
  const { record } = await seedCase(timed);
  await purgeCaseNow({ clock, keyring: testKeyring, store: timed }, record.id);
  assert.deepEqual(await readSlot(record), {
    state: 'freed',
    id: record.shred_id,
    freedOn: Date.UTC(2030, 0, 1) / DAY_MS,
  });
  await fillFile(path);
  now = Date.UTC(2030, 0, 1) + 90 * DAY_MS - 1;
  const early = await seedCase(timed);
  assert.ok((early.record.key_slot ?? 0) >= 1024);
  assert.equal((await readFile(path)).length, HEADER_BYTES + 2 * CHUNK_BYTES);
  await fillFile(path);
  now += 1;
  const late = await seedCase(timed);
  assert.equal(late.record.key_slot, record.key_slot);
  assert.notEqual(late.record.shred_id, record.shred_id);
  assert.equal((await readFile(path)).length, HEADER_BYTES + 2 * CHUNK_BYTES);
  assert.equal(await timed.shredKeys.read(record), null, 'an older copy of the records gets no other key');
});

test('a case whose sealed key is gone is damaged, not purged', async (t) => {
  const { store } = await openFolder(t);
  const [lost, sound] = await seedCases(store, 2, { changes: { purge_at: LATER } });
  await store.records.deleteFrom('case_keys').where('case_id', '=', lost!.record.id).execute();
  await assert.rejects(readCaseKey(store, lost!.record), { code: 'case_key_unreadable' });
  assert.ok(await readCaseKey(store, sound!.record));
  const damaged = await Array.fromAsync(listCasesWithoutKey(store.records, store.shredKeys));
  assert.deepEqual(
    damaged.map(({ id, state }) => [id, state]),
    [[lost!.record.id, 'damaged']],
  );
});

test('a sealed key is replaced only while it is the one that was read, and the case is kept', async (t) => {
  const { store } = await openFolder(t);
  const { records } = store;
  const [{ record, ciphertext: previous }, purged] = [
    await seedCase(store),
    await seedCase(store, { purging: 1 }),
  ];
  const [first, second] = [Buffer.from('first'), Buffer.from('second')];
  assert.equal(
    await replaceCaseKey(records, record.id, { previous, ciphertext: first, sealedTo: 'a' }),
    true,
  );
  assert.equal(
    await replaceCaseKey(records, record.id, { previous, ciphertext: second, sealedTo: 'b' }),
    false,
  );
  assert.deepEqual(Buffer.from((await findCaseKey(records, record.id))!), first);
  const change = { previous: purged.ciphertext, ciphertext: first, sealedTo: 'a' };
  assert.equal(await replaceCaseKey(records, purged.record.id, change), false);
});

test('a torn slot is an error for its case alone, is not used again, and can be purged', async (t) => {
  const { store, path, readSlot, writeSlot } = await openFolder(t);
  const [torn, sound] = await seedCases(store, 2, { changes: { purge_at: LATER } });
  const key = await store.shredKeys.read(torn!.record);
  const number = torn!.record.key_slot ?? 0;
  const bytes = encodeSlot(number, { id: torn!.record.shred_id ?? '', key: key! });
  await writeSlot(torn!.record, Buffer.concat([bytes.subarray(0, 40), Buffer.alloc(24)]));
  await assert.rejects(readCaseKey(store, torn!.record), { code: 'case_key_unreadable' });
  assert.ok(await readCaseKey(store, sound!.record));
  await fillFile(path);
  assert.ok(((await seedCase(store)).record.key_slot ?? 0) >= 1024);
  assert.equal((await readSlot(torn!.record)).state, 'damaged');
  await purgeCaseNow({ clock: systemClock, keyring: testKeyring, store }, torn!.record.id);
  assert.equal((await readSlot(torn!.record)).state, 'freed');
});

test('two stores on one folder never take the same slot, and free only their own', async (t) => {
  const { place, store, readSlot } = await openFolder(t);
  const stores = [store, await openTestStore(t, place)];
  const seeded = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const owner = stores[index % 2]!;
      const { record } = await seedCase(owner);
      const isPurged = index % 3 === 0;
      if (isPurged) await purgeCaseNow({ clock: systemClock, keyring: testKeyring, store: owner }, record.id);
      return { record, isPurged };
    }),
  );
  assert.equal(new Set(seeded.map(({ record }) => record.key_slot)).size, seeded.length);
  for (const { record, isPurged } of seeded)
    assert.equal((await readSlot(record)).state, isPurged ? 'freed' : 'taken');
});

test('slots that no row names, and slots of another case, are left alone', async (t) => {
  const { path, store, readSlot } = await openFolder(t);
  const { record } = await seedCase(store, { purge_at: LATER });
  for (const table of ['object_pieces', 'objects', 'cases'] as const)
    await store.records.deleteFrom(table).execute();
  await fillFile(path);
  assert.ok(((await seedCase(store)).record.key_slot ?? 0) >= 1024);
  const stranger = await seedCase(store, { key_slot: record.key_slot, purge_at: 1 });
  await purgeCaseNow({ clock: systemClock, keyring: testKeyring, store }, stranger.record.id);
  assert.equal((await readSlot(record)).state, 'taken');
});

test('a file that was cut off loses the keys beyond its end and no other', async (t) => {
  const { path, store } = await openFolder(t);
  const seeded = await seedCases(store, 40);
  await using file = await open(path, 'r+');
  await file.truncate(HEADER_BYTES + 20 * SLOT_BYTES);
  await seedCases(store, 100);
  for (const { record } of seeded) {
    const reading = readCaseKey(store, record);
    if ((record.key_slot ?? 0) < 20) assert.ok(await reading);
    else assert.ok([null, 'case_key_unreadable'].includes(await reading.then(() => null, readErrorCode)));
  }
});

const postgres = await openPostgresEngine(cleanUp);

for (const engine of [sqliteUnderTest, postgres])
  suite(`shred keys on ${engine.name}`, () => {
    test('no key is destroyed unless its case is recorded as being purged', async (t) => {
      const store = await openTestStore(t, await engine.createDatabase(t));
      const [live, marked] = [await seedCase(store), await seedCase(store, { purging: 1 })];
      const ids = [live.record.id, marked.record.id, 'unknown'];
      await store.transaction((records) => store.shredKeys.destroy(records, ids));
      await store.transaction((records) => store.shredKeys.destroy(records, []));
      assert.ok(await readCaseKey(store, live.record));
      assert.equal(await readCaseKey(store, marked.record), null);
    });
  });

suite('on PostgreSQL a key is not in the file of its table', () => {
  test('after the sweep of the purge', async (t) => {
    const { store, run, hasKeyBytes } = await openTableFile(t);
    const other = await seedCase(store);
    assert.ok(await hasKeyBytes());
    // PostgreSQL counts deleted rows with a delay of up to a second.
    await waitUntil('the key is gone', async () => {
      await run();
      return !(await hasKeyBytes());
    });
    assert.ok(await readCaseKey(store, other.record));
  });

  test('after the sweep that follows a backup, during which it was purged', async (t) => {
    const { store, run, hasKeyBytes } = await openTableFile(t);
    const copying = store.records.transaction().setIsolationLevel('repeatable read');
    await copying.execute(async (backup) => {
      await backup.selectFrom('orders').select('id').execute();
      for (let tries = 0; tries < 15; tries += 1) {
        await run();
        await sleep(100);
      }
      assert.ok(await hasKeyBytes(), 'the backup may still read it');
    });
    await run();
    assert.ok(!(await hasKeyBytes()));
  });
});

/** Opens a store with a case whose purge is due. */
async function openTableFile(t: TestContext) {
  const store = await openTestStore(t, await postgres.createDatabase(cleanUp));
  const { markers } = await seedCase(store, { purge_at: 1 });
  const { run } = createPurger({ ...createTrustedClock(), keyring: testKeyring, store }, silentLog);
  const hasKeyBytes = async () => {
    await sql`checkpoint`.execute(store.records);
    const { rows } = await sql<{ bytes: Buffer }>`
      select pg_read_binary_file(pg_relation_filepath('shred_keys')) as bytes`.execute(store.records);
    return rows[0]!.bytes.includes(markers[1]!);
  };
  return { store, run, hasKeyBytes };
}

async function findInFolder(folder: string, part: Buffer): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder))
    if ((await readFile(join(folder, name))).includes(part)) found.push(name);
  return found;
}

/** Fills all slots that were never used. */
async function fillFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  for (let at = HEADER_BYTES; at < bytes.length; at += SLOT_BYTES) {
    const number = (at - HEADER_BYTES) / SLOT_BYTES;
    if (decodeSlot(number, bytes.subarray(at, at + SLOT_BYTES)).state === 'unused')
      bytes.set(encodeSlot(number, { id: generateId(), key: randomBytes(32) }), at);
  }
  await using file = await open(path, 'r+');
  await file.write(bytes, 0, bytes.length, 0);
}

function countUsed(file: Buffer): number {
  let used = 0;
  for (let at = HEADER_BYTES; at < file.length; at += SLOT_BYTES)
    if (!file.subarray(at, at + SLOT_BYTES).equals(Buffer.alloc(SLOT_BYTES))) used += 1;
  return used;
}

test('freed slots in the middle of a large file are found before it has grown by as much', async (t) => {
  const path = join(await createTemporaryFolder(t), 'shred.keys');
  const pages = 320;
  const freedFrom = 150 * 64;
  const freedTo = 160 * 64;
  const key = randomBytes(32);
  await writeSlotCopies(
    path,
    Array.from({ length: pages * 64 }, (_, slot) => {
      const isFreed = slot >= freedFrom && slot < freedTo;
      return { slot, id: generateId(), freedOn: isFreed ? 0 : null, key: isFreed ? null : key };
    }),
  );
  const slots = await openKeySlots(path, systemClock);
  t.after(() => slots.close());
  let reused = 0;
  for (let created = 0; created < pages * 64 && reused < freedTo - freedFrom; created += 64) {
    slots.begin();
    for (let index = 0; index < 64; index += 1) {
      const number = (await slots.create()).place.key_slot ?? 0;
      if (number >= freedFrom && number < freedTo) reused += 1;
    }
    await slots.sync();
  }
  assert.equal(reused, freedTo - freedFrom);
});
