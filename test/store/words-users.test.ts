/** People who let a client act with the words of a case in 0.1.0: their consents stay, and no longer tell the case. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { deriveCaseViewer } from '#cases/access.ts';
import { purgeCaseNow } from '#cases/purge.ts';
import { convertWordsUsers, openWordsTag } from '#cases/words-user.ts';
import { systemClock as clock } from '#platform/clock.ts';
import type { Store } from '#store/store.ts';
import { findUser } from '#store/users.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { startServiceProcess } from '#test/service-process.ts';
import {
  testKeyring as keyring,
  openPostgresEngine,
  openTestStore,
  sqliteUnderTest,
  TEST_MASTER_KEY,
} from './engines.ts';

const cleanUp = withReverseCleanup({ after });

/** As 0.1.0 stored it, with one grant. */
async function insertFormerUser({ records }: Store, id: string, wordsTag: string): Promise<void> {
  await records.insertInto('users').values({ id, words_tag: wordsTag, created_at: 1 }).execute();
  const grant = { id: `grant of ${id}`, kind: 'Grant', payload: '{}', client_id: 'client', user_id: id };
  await records
    .insertInto('tokens')
    .values({ ...grant, grant_id: id, expires_at: Date.UTC(2040, 0) })
    .execute();
}

const listGrants = async ({ records }: Store) =>
  (await records.selectFrom('tokens').select('user_id').orderBy('user_id').execute()).map(
    ({ user_id: id }) => id,
  );

for (const engine of [sqliteUnderTest, await openPostgresEngine(cleanUp)])
  suite(`users of words in 0.1.0, on ${engine.name}`, () => {
    const openStores = async (t: test.TestContext) => {
      const place = await engine.createDatabase(cleanUp);
      return { store: await openTestStore(t, place), beside: await openTestStore(t, place) };
    };

    test('they see their case and share no tag with it, however often and by how many it is converted', async (t) => {
      const { store, beside } = await openStores(t);
      const { records } = store;
      await insertFormerUser(store, 'ann', (await seedCase(store)).record.words_tag);
      await insertFormerUser(store, 'bob', (await seedCase(store)).record.words_tag);
      const address = { id: 'eve', address_tag: 'tag', address_box: Uint8Array.of(1), created_at: 1 };
      await records.insertInto('users').values(address).execute();
      const former = await records.selectFrom('users').selectAll().orderBy('id').execute();

      await Promise.all([store, beside, store].map((one) => convertWordsUsers({ keyring, store: one })));
      const converted = await records.selectFrom('users').selectAll().orderBy('id').execute();
      await convertWordsUsers({ keyring, store });
      assert.deepEqual(await records.selectFrom('users').selectAll().orderBy('id').execute(), converted);

      assert.deepEqual(
        converted.flatMap((user) => openWordsTag(keyring, user) ?? []),
        former.flatMap(({ words_tag: tag }) => tag ?? []),
      );
      const tags = new Set(former.map(({ words_tag: tag }) => tag).filter((tag) => tag !== null));
      assert.ok(converted.every(({ words_tag: tag }) => tag === null || !tags.has(tag)));
      assert.deepEqual(await listGrants(store), ['ann', 'bob']);
      const viewer = await deriveCaseViewer({ keyring, store }, { clientId: 'client', userId: 'ann' });
      assert.equal(viewer.words_tag, former[0]?.words_tag);
    });

    test('a purge finds the converted user, and the box of another user does not open', async (t) => {
      const { store } = await openStores(t);
      const { record } = await seedCase(store, { state: 'withdrawn', purge_at: 1 });
      await insertFormerUser(store, 'ann', record.words_tag);
      await insertFormerUser(store, 'bob', (await seedCase(store)).record.words_tag);
      await convertWordsUsers({ keyring, store });
      const bob = await findUser(store.records, 'bob');
      assert.ok(bob);
      assert.throws(() => openWordsTag(keyring, { ...bob, id: 'ann' }));
      await purgeCaseNow({ clock, keyring, store }, record.id);
      assert.equal(await findUser(store.records, 'ann'), undefined);
      assert.deepEqual(await listGrants(store), ['bob']);
    });

    test('a second user whom 0.1.0 made for the same words beside this version goes', async (t) => {
      const { store } = await openStores(t);
      const { record } = await seedCase(store);
      await insertFormerUser(store, 'zoe', record.words_tag);
      await convertWordsUsers({ keyring, store });
      await insertFormerUser(store, 'ann', record.words_tag);
      await convertWordsUsers({ keyring, store });
      assert.equal(await findUser(store.records, 'ann'), undefined);
      assert.ok(await findUser(store.records, 'zoe'));
      assert.deepEqual(await listGrants(store), ['zoe']);
    });
  });

test('the service converts them when it starts', async (t) => {
  const dataDir = await createDataFolder(t);
  const place = { env: { DATA_DIR: dataDir } };
  const store = await openTestStore(t, place);
  const { record } = await seedCase(store);
  await insertFormerUser(store, 'ann', record.words_tag);
  await startServiceProcess(t, { ...place.env, MASTER_KEY: TEST_MASTER_KEY });
  const user = await findUser(store.records, 'ann');
  assert.ok(user && user.words_tag !== record.words_tag);
  assert.equal(openWordsTag(keyring, user), record.words_tag);
});
