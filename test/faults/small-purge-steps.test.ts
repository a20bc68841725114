/** If the disk has no room for a whole batch, one run of the purge still reaches every case that is due. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPurger } from '#cases/ending/purge.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Store } from '#store/store.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { openTestStore, silentLog, sqliteUnderTest, testKeyring } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';

test('a purge that must take the smallest steps goes on until nothing is due', async (t) => {
  const store = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  for (let index = 0; index < 3; index += 1) await seedCase(store, { purge_at: 1 });
  await createPurger(
    { ...createTrustedClock(), keyring: testKeyring, store: refuseFirstTransaction(store) },
    silentLog,
  ).run();
  assert.deepEqual(await store.records.selectFrom('cases').select('id').execute(), []);
});

function refuseFirstTransaction(store: Store): Store {
  const full = new ServiceError('storage_unavailable');
  let refused = false;
  return {
    ...store,
    translate: (error) => (error === full ? full : store.translate(error)),
    transaction: async (work) => {
      if (refused) return await store.transaction(work);
      refused = true;
      throw full;
    },
  };
}
