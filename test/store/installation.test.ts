/** Records and shred keys of different moments are refused, and nothing is lost by the attempt. */
import assert from 'node:assert/strict';
import { cp, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after, suite, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { systemClock } from '#platform/clock.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { findCase } from '#store/cases/cases.ts';
import { createCommit } from '#store/engine/group-commit.ts';
import { readInstallationSides, replaceInstallation } from '#store/keys/installation.ts';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import type { Store } from '#store/store.ts';
import { type SeededCase, seedCase, seedCases } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import {
  openPostgresEngine,
  openTestStore,
  sqliteUnderTest,
  type TestDatabase,
  testKeyring,
} from './engines.ts';

const cleanUp = withReverseCleanup({ after });
const engines = [sqliteUnderTest, await openPostgresEngine(cleanUp)];

async function assertRefused(t: TestContext, place: TestDatabase, reason: RegExp): Promise<void> {
  await assert.rejects(openTestStore(t, place), (error: unknown) => {
    assert.ok(error instanceof ProgramError, String(error));
    assert.equal(error.exitCode, EXIT_CODES.config);
    for (const text of [reason, /office restore/, /office doctor/, /^[^\n]+$/])
      assert.match(error.message, text);
    return true;
  });
}

async function assertAllOpen(store: Store, seeded: readonly SeededCase[]): Promise<void> {
  for (const { record } of seeded) {
    const stored = await findCase(store.records, record.id, Date.now());
    assert.ok(stored && (await readCaseKey(store, stored)), record.id);
  }
}

/** Creates a data folder with cases, and copies of its files from before the last case. */
async function createTwoDays(t: TestContext) {
  const folder = await createTemporaryFolder(t);
  const place = { env: { DATA_DIR: folder } };
  const store = await openTestStore(t, place);
  const seeded = await seedCases(store, 2);
  await store.tryWrite();
  await store.close();
  const yesterday = await createTemporaryFolder(t);
  await cp(folder, yesterday, { recursive: true });
  const later = await openTestStore(t, place);
  seeded.push(await seedCase(later));
  for (let sweep = 0; sweep < 3; sweep += 1) await later.tryWrite();
  await later.close();
  return { folder, place, seeded, yesterday };
}

async function moveFiles(from: string, to: string, start: string): Promise<void> {
  for (const name of await readdir(from))
    if (name.startsWith(start)) await rename(join(from, name), join(to, name));
}

suite('a data folder', () => {
  test('whose records were moved away is not given new ones, and is as before when they are back', async (t) => {
    const { folder, place, seeded } = await createTwoDays(t);
    const aside = await createTemporaryFolder(t);
    await moveFiles(folder, aside, 'inquiry-office.db');
    await assertRefused(t, place, /inquiry-office\.db is missing/);
    assert.deepEqual(await readdir(folder), ['shred.keys']);
    await moveFiles(aside, folder, 'inquiry-office.db');
    await assertAllOpen(await openTestStore(t, place), seeded);
  });

  for (const [part, reason] of [
    ['inquiry-office.db', /the records are an older copy/],
    ['shred.keys', /the shred keys are an older copy/],
  ] as const)
    test(`with ${part} of yesterday is refused, and is as before when that of today is back`, async (t) => {
      const { folder, place, seeded, yesterday } = await createTwoDays(t);
      const aside = await createTemporaryFolder(t);
      await moveFiles(folder, aside, part);
      await moveFiles(yesterday, folder, part);
      await assertRefused(t, place, reason);
      await moveFiles(aside, folder, part);
      await assertAllOpen(await openTestStore(t, place), seeded);
    });

  test('without shred.keys is refused once it had an installation id, even if it has no case', async (t) => {
    const folder = await createTemporaryFolder(t);
    const place = { env: { DATA_DIR: folder } };
    const store = await openTestStore(t, place);
    await store.tryWrite();
    await store.close();
    await rm(join(folder, 'shred.keys'));
    await assertRefused(t, place, /shred\.keys is missing/);
    assert.ok(!(await readdir(folder)).includes('shred.keys'));
  });

  test('starts if the last generation in shred.keys was torn, and not if both copies are damaged', async (t) => {
    const { folder, place, seeded } = await createTwoDays(t);
    await using file = await open(join(folder, 'shred.keys'), 'r+');
    // The fourth and last generation is in the first copy.
    await file.write(Buffer.from('torn'), 0, 4, 1024);
    const store = await openTestStore(t, place);
    await assertAllOpen(store, seeded);
    await store.tryWrite();
    await store.close();
    for (const offset of [1024, 2048]) await file.write(Buffer.from('torn'), 0, 4, offset);
    await assertRefused(t, place, /the shred keys are missing, or are older ones/);
  });

  test('from before there were installation ids, with a case whose slot is freed, is refused', async (t) => {
    const folder = await createTemporaryFolder(t);
    const place = { env: { DATA_DIR: folder } };
    const store = await openTestStore(t, place);
    const { record } = await seedCase(store);
    await purgeCaseNow({ clock: systemClock, keyring: testKeyring, store }, record.id);
    await store.records.insertInto('cases').values(record).execute();
    await seedCase(store);
    await store.records.deleteFrom('records_installation').execute();
    await store.close();
    await using file = await open(join(folder, 'shred.keys'), 'r+');
    for (const offset of [1024, 2048]) await file.write(Buffer.alloc(64), 0, 64, offset);
    await assertRefused(t, place, /some cases have no shred key/);
  });
});

suite('a PostgreSQL database', () => {
  test('from before there were installation ids starts if one case lacks its key, and not if all do', async (t) => {
    const place = await engines[1]!.createDatabase(cleanUp);
    const store = await openTestStore(t, place);
    const [lost, kept] = await seedCases(store, 2);
    const deleteInstallation = async (lostId: string) => {
      for (const table of ['records_installation', 'shred_installation'])
        await sql`delete from ${sql.table(table)}`.execute(store.records);
      await sql`delete from shred_keys where case_id = ${lostId}`.execute(store.records);
    };
    await deleteInstallation(lost!.record.id);
    await assertAllOpen(await openTestStore(t, place), [kept!]);
    await deleteInstallation(kept!.record.id);
    await assertRefused(t, place, /shred key/);
  });

  test('with parts of different moments is refused, and is as before when they are right again', async (t) => {
    const place = await engines[1]!.createDatabase(cleanUp);
    const store = await openTestStore(t, place);
    const seeded = await seedCases(store, 2);
    const run = async (statements: string) => {
      for (const statement of statements.split('; ')) await sql.raw(statement).execute(store.records);
    };
    for (let sweep = 0; sweep < 3; sweep += 1) await store.tryWrite();
    for (const [change, undo, reason] of [
      [
        'update shred_installation set generation = 1',
        'update shred_installation set generation = 3',
        /keys are an older copy/,
      ],
      [
        'update records_installation set generation = 1',
        'update records_installation set generation = 3',
        /records are an older/,
      ],
      [
        'alter table shred_installation rename to aside',
        'alter table aside rename to shred_installation',
        /table shred_installation/,
      ],
      [
        'alter table shred_keys rename to aside',
        'alter table aside rename to shred_keys',
        /table shred_keys/,
      ],
      [
        'create table aside as select * from shred_keys; delete from shred_keys',
        'insert into shred_keys select * from aside; drop table aside',
        /the shred keys are missing/,
      ],
      [
        'create table aside as select * from shred_installation; delete from shred_installation',
        'insert into shred_installation select * from aside; drop table aside',
        /the shred keys are missing, or are older ones/,
      ],
    ] as const) {
      await run(change);
      await assertRefused(t, place, reason);
      await run(undo);
      await assertAllOpen(await openTestStore(t, place), seeded);
    }
  });
});

for (const engine of engines)
  suite(`the generation on ${engine.name}`, () => {
    test('is moved on by many at once while others open the store, and none is refused', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const stores = await Promise.all([1, 2, 3].map(() => openTestStore(t, place)));
      const move = async (store: Store) => {
        for (let sweep = 0; sweep < 10; sweep += 1) await store.tryWrite();
      };
      const openAndClose = async () => {
        for (let time = 0; time < 5; time += 1) await (await openTestStore(t, place)).close();
      };
      await Promise.all([...stores.map(move), openAndClose(), openAndClose()]);
      const { records, keys } = await readSides(stores[0]!);
      assert.deepEqual(records, keys);
      assert.ok((keys?.generation ?? 0) >= 10);
    });

    test('is moved on by one that finds the move of another unfinished, so that no two have the same generation', async (t) => {
      const store = await openTestStore(t, await engine.createDatabase(cleanUp));
      const generation = (await readSides(store)).records?.generation ?? 0;
      await store.records
        .updateTable('records_installation')
        .set({ generation: generation + 1 })
        .execute();
      await store.advanceGeneration(async () => {});
      const { records, keys } = await readSides(store);
      assert.deepEqual([records?.generation, keys?.generation], [generation + 2, generation + 2]);
    });

    test('starts again, under another installation id, when asked', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const store = await openTestStore(t, place);
      const seeded = await seedCases(store, 2);
      await store.tryWrite();
      const previous = (await readSides(store)).keys;
      const commit = createCommit(store.records, () => false, store.shredKeys);
      await replaceInstallation({ commit, shredKeys: store.shredKeys });
      const renewed = await readSides(store);
      assert.deepEqual(renewed.records, renewed.keys);
      assert.deepEqual([renewed.keys?.generation, renewed.keys?.id === previous?.id], [0, false]);
      await store.tryWrite();
      await store.close();
      await assertAllOpen(await openTestStore(t, place), seeded);
    });

    test('that is gone, or that other records have, fails the periodic write', async (t) => {
      const store = await openTestStore(t, await engine.createDatabase(cleanUp));
      await store.tryWrite();
      await store.records.updateTable('records_installation').set({ installation_id: 'another' }).execute();
      await assert.rejects(store.tryWrite(), /do not belong together/);
      await store.records.deleteFrom('records_installation').execute();
      await assert.rejects(store.tryWrite(), /do not belong together/);
    });
  });

async function readSides({ records, shredKeys }: Store) {
  return await readInstallationSides(records, shredKeys);
}
