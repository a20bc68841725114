/** Result keys: one for each exported case key, bound to its case, and gone with it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test, { after } from 'node:test';
import {
  findResultKey,
  loadOrCreateResultKey,
  openResultKey,
  sealResultKey,
} from '#cases/bundle/result-key.ts';
import { createPurger } from '#cases/purge.ts';
import { deriveRecipient, generateAgeIdentity } from '#seal/age.ts';
import { createKeyring, generateMasterKey } from '#store/keyring.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngines, openTestStore, silentLog } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';
import { type SeededCase, seedCase } from './seeded-case.ts';

const cleanUp = withReverseCleanup({ after });
const keyring = createKeyring(generateMasterKey());

function toExport({ record }: SeededCase, caseKey = randomBytes(40)) {
  return { id: record.id, lookupHash: record.lookup_hash, caseKey };
}

for (const engine of await listEngines(cleanUp))
  test(`on ${engine.name}, a case key has one result key, which a purge deletes`, async (t) => {
    const store = await openTestStore(t, await engine.createDatabase(cleanUp));
    const services = { ...createTrustedClock({ now: () => 2_000 }), keyring, store };
    const due = { submitted_at: 1, delivered_at: 1, purge_at: 1_000 };
    const [one, other] = [toExport(await seedCase(store, due)), toExport(await seedCase(store))];
    assert.equal(await findResultKey(services, one), null);
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadOrCreateResultKey(services, one)));
    assert.equal(new Set(keys).size, 1, 'exports at the same time agree');
    const resealed = { ...one, caseKey: randomBytes(40) };
    assert.notEqual(await loadOrCreateResultKey(services, resealed), keys[0]);
    assert.equal(await findResultKey(services, one), keys[0], 'the former one stays');

    const otherKey = await loadOrCreateResultKey(services, other);
    const { box } = await store.records
      .selectFrom('bundle_keys')
      .select('box')
      .where('case_id', '=', one.id)
      .executeTakeFirstOrThrow();
    await store.records.updateTable('bundle_keys').set({ box }).where('case_id', '=', other.id).execute();
    await assert.rejects(findResultKey(services, other), 'a box of another case does not open');
    assert.notEqual(otherKey, keys[0]);

    await createPurger(services, silentLog).run();
    const left = await store.records.selectFrom('bundle_keys').select('case_id').execute();
    assert.deepEqual(
      left.map((row) => row.case_id),
      [other.id],
    );
  });

test('a result key opens for the desk and the recovery key, and only in its own bundle', async () => {
  const [desk, recovery, stranger] = await Promise.all([0, 1, 2].map(() => generateAgeIdentity()));
  const exported = { id: 'A'.repeat(22), lookupHash: 'Q'.repeat(43), caseKey: randomBytes(40) };
  const key = randomBytes(32).toString('base64url');
  const holders = { desk: [await deriveRecipient(desk!)], recovery: await deriveRecipient(recovery!) };
  const sealed = await sealResultKey(key, exported, holders);
  for (const identity of [desk!, recovery!])
    assert.equal(await openResultKey(sealed, identity, exported), key);
  await assert.rejects(openResultKey(sealed, stranger!, exported), { code: 'wrong_key' });
  for (const change of [{ lookupHash: 'R'.repeat(43) }, { caseKey: randomBytes(40) }])
    await assert.rejects(openResultKey(sealed, desk!, { ...exported, ...change }), { code: 'swapped' });
});
