/** The shred keys of version 0.1.0 are carried over once, all of them, and nothing is left of the former file. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { purgeCaseNow } from '#cases/purge.ts';
import { systemClock } from '#platform/clock.ts';
import { findCase } from '#store/cases.ts';
import { decryptWithShredKey } from '#store/shred-keys.ts';
import type { Store } from '#store/store.ts';
import type { SeededCase } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { openTestStore, testKeyring } from './engines.ts';
import { withFormerDatabase } from './former-database.ts';

async function fillFormerFolder(t: TestContext, cases: number) {
  const folder = await createTemporaryFolder(t);
  const place = { env: { DATA_DIR: folder } };
  const seeded = await withFormerDatabase(place, 'any number of days on SQLite', ({ seed }) =>
    Array.fromAsync({ length: cases }, () => seed()),
  );
  return { folder, place, seeded, keyFile: join(folder, 'shred.db') };
}

async function assertAllOpen(store: Store, seeded: readonly SeededCase[]): Promise<void> {
  for (const { record } of seeded) {
    const stored = await findCase(store.records, record.id, Date.now());
    assert.ok(stored && (await decryptWithShredKey(store.shredKeys, stored)), record.id);
  }
}

test('every case of version 0.1.0 opens, and its key is in the new file alone', async (t) => {
  const { folder, place, seeded } = await fillFormerFolder(t, 5);
  const store = await openTestStore(t, place);
  await assertAllOpen(store, seeded);
  const names = await readdir(folder);
  assert.deepEqual(
    names.filter((name) => name.startsWith('shred')),
    ['shred.keys'],
  );
  for (const { markers } of seeded)
    for (const name of names)
      assert.equal((await readFile(join(folder, name))).includes(markers[1]!), name === 'shred.keys', name);
  await purgeCaseNow({ clock: systemClock, keyring: testKeyring, store }, seeded[0]!.record.id);
  assert.ok(!(await readFile(join(folder, 'shred.keys'))).includes(seeded[0]!.markers[1]!));
});

test('keys of version 0.1.0 without their records are left as they are, and carried over when those are back', async (t) => {
  const { folder, place, seeded } = await fillFormerFolder(t, 3);
  const aside = join(folder, 'aside');
  await mkdir(aside);
  for (const name of await readdir(folder))
    if (name.startsWith('inquiry-office.db')) await rename(join(folder, name), join(aside, name));
  await assert.rejects(openTestStore(t, place), /inquiry-office\.db is missing/);
  assert.deepEqual((await readdir(folder)).toSorted(), ['aside', 'shred.db']);
  for (const name of await readdir(aside)) await rename(join(aside, name), join(folder, name));
  await assertAllOpen(await openTestStore(t, place), seeded);
});

test('stores that open the folder at the same time carry each key over once', async (t) => {
  const { place, seeded } = await fillFormerFolder(t, 4);
  const stores = await Promise.all(Array.from({ length: 4 }, () => openTestStore(t, place)));
  for (const store of stores) await assertAllOpen(store, seeded);
  const rows = await stores[0]!.records.selectFrom('cases').select('shred_slot').execute();
  assert.equal(new Set(rows.map(({ shred_slot: number }) => number)).size, 4);
});

test('a former file that is put back does not revive the key of a purged case', async (t) => {
  const { folder, place, seeded, keyFile } = await fillFormerFolder(t, 2);
  const copy = join(folder, 'copy');
  await copyFile(keyFile, copy);
  const store = await openTestStore(t, place);
  const [purged, other] = seeded;
  await purgeCaseNow({ clock: systemClock, keyring: testKeyring, store }, purged!.record.id);
  await store.close();
  await rename(copy, keyFile);
  await assertAllOpen(await openTestStore(t, place), [other!]);
  assert.ok(!(await readFile(join(folder, 'shred.keys'))).includes(purged!.markers[1]!));
  assert.ok(!(await readdir(folder)).includes('shred.db'));
});

test('a former file that cannot be read stops the start and stays as it is', async (t) => {
  const { folder, place, seeded, keyFile } = await fillFormerFolder(t, 2);
  const sound = await readFile(keyFile);
  const damaged = Buffer.concat([Buffer.alloc(100, 7), sound.subarray(100)]);
  await writeFile(keyFile, damaged);
  await assert.rejects(openTestStore(t, place), /cannot be read; nothing was changed/);
  assert.ok(damaged.equals(await readFile(keyFile)));
  await writeFile(keyFile, sound);
  await assertAllOpen(await openTestStore(t, place), seeded);
  assert.ok(!(await readdir(folder)).includes('shred.db'));
});

test('an empty former file, as a start that was killed leaves it, is removed', async (t) => {
  const { folder, place, keyFile } = await fillFormerFolder(t, 0);
  await writeFile(keyFile, '');
  await (await openTestStore(t, place)).close();
  assert.ok(!(await readdir(folder)).includes('shred.db'));
});
