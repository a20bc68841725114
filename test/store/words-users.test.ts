/** People who let a client act with a case's words: their grants end with the case, and do not reveal which it is. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { deriveCaseViewer } from '#cases/access.ts';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { findUser } from '#store/clients/users.ts';
import type { Store } from '#store/store.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { testKeyring as keyring, listEngines, openTestStore } from './engines.ts';

const cleanUp = withReverseCleanup({ after });

/** Inserts a user with one grant. */
async function insertUser({ records }: Store, id: string, wordsTag: string): Promise<void> {
  const tags = {
    words_tag: keyring.tag('words user', wordsTag),
    words_ciphertext: keyring.seal('words user', wordsTag, id),
  };
  await records
    .insertInto('users')
    .values({ id, ...tags, created_at: 1 })
    .execute();
  const grant = { id: `grant of ${id}`, kind: 'Grant', payload: '{}', client_id: 'client', user_id: id };
  await records
    .insertInto('tokens')
    .values({ ...grant, grant_id: id, expires_at: Date.UTC(2040, 0) })
    .execute();
}

for (const engine of await listEngines(cleanUp))
  test(`a purge ends the user of its words and their grant alone, on ${engine.name}`, async (t) => {
    const store = await openTestStore(t, await engine.createDatabase(cleanUp));
    const { records } = store;
    const [{ record }, { record: other }] = [
      await seedCase(store, { state: 'withdrawn', purge_at: 1 }),
      await seedCase(store),
    ];
    await insertUser(store, 'ann', record.words_tag);
    await insertUser(store, 'bob', other.words_tag);
    await purgeCaseNow({ clock, keyring, store }, record.id);
    assert.equal(await findUser(records, 'ann'), undefined);
    const grants = await records.selectFrom('tokens').select('user_id').execute();
    assert.deepEqual(
      grants.map(({ user_id: id }) => id),
      ['bob'],
    );
    const bob = await findUser(records, 'bob');
    await records
      .insertInto('users')
      .values({ id: 'eve', words_ciphertext: bob!.words_ciphertext, created_at: 1 })
      .execute();
    const caller = { clientId: 'client', userId: 'eve' };
    await assert.rejects(
      async () => await deriveCaseViewer({ keyring, store }, caller),
      /./,
      'not her ciphertext',
    );
  });
