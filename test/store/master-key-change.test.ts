/** A change of the master key on both engines: everything is found with the new one, and nothing runs meanwhile. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after, suite } from 'node:test';
import { deriveWordsTag } from '#cases/access.ts';
import { decryptRegistrationContact } from '#clients/registration-mail.ts';
import { encryptSessionId } from '#payments/session-id.ts';
import { systemClock } from '#platform/clock.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { findCaseByLookup } from '#store/cases/cases.ts';
import { findRegistration } from '#store/clients/registrations.ts';
import { findUserId } from '#store/clients/users.ts';
import { createKeyring, generateMasterKey } from '#store/keys/keyring.ts';
import {
  adoptMasterKey,
  deleteMasterKeys,
  listMasterKeys,
  noteMasterKey,
  recordMasterKey,
  requireMasterKey,
} from '#store/keys/master-keys.ts';
import { bindOrderSession, insertOrder } from '#store/orders/orders.ts';
import { computeOrderOwnerTag } from '#store/owner.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { type CliResult, runCli } from '#test/cli/desk-cli.ts';
import { listEngines, openTestStore, sqliteUnderTest, type TestDatabase } from './engines.ts';
import {
  assertEverythingFound,
  createAddressUser,
  createAgentClient,
  recordEarlierService,
  seedKeyedRecords,
} from './keyed-records.ts';
import { createSampleOrder } from './sample-order.ts';

const cleanUp = withReverseCleanup({ after });
const [PREVIOUS, NEXT] = [generateMasterKey(), generateMasterKey()];
const previous = createKeyring(PREVIOUS);
const next = createKeyring(NEXT);
const folder = await createTemporaryFolder(cleanUp);
const nextFile = join(folder, 'next.key');
await writeFile(nextFile, `${NEXT}\n`);

function buildEnv({ env }: TestDatabase, masterKey: string): Record<string, string> {
  return { ...env, MASTER_KEY: masterKey, SWEEP_SECONDS: '60' };
}

const CHANGE = ['keys', 'master', 'change'] as const;

async function runChange(place: TestDatabase, ...args: string[]): Promise<CliResult> {
  return await runCli(buildEnv(place, PREVIOUS), [...CHANGE, '--new', nextFile, ...args]);
}

async function runLost(place: TestDatabase, input: string): Promise<CliResult> {
  return await runCli(buildEnv(place, NEXT), [...CHANGE, '--lost'], input);
}

for (const engine of await listEngines(cleanUp))
  suite(`a change of the master key, on ${engine.name}`, () => {
    test('everything is found with the new key, and nothing starts before it is done', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const store = await openTestStore(t, place);
      const seeded = await seedKeyedRecords(store, previous, 250);
      await assertEverythingFound(store, previous, seeded);
      await store.transaction((records) => noteMasterKey(records, next, null));

      for (const keyring of [previous, next]) {
        const services = { store, keyring, clock: systemClock };
        for (const start of [adoptMasterKey, requireMasterKey])
          await assert.rejects(
            start(services),
            /^ProgramError: the change of the master key is unfinished; run .* keys master change again/,
          );
      }
      const backup = await runCli(buildEnv(place, PREVIOUS), ['backup', '--to', folder]);
      assert.equal(backup.code, 78, backup.stdout);
      assert.match(backup.stderr, /^the change of the master key is unfinished[^\n]*\n$/);
      const doctor = await runCli(place.env, ['doctor']);
      assert.match(
        doctor.stdout,
        /^Error: The service does not start: the change of the master key is unfinished/m,
      );

      const ended = await runChange(place, '--json');
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stderr, /^orders +252 of 252$/m);
      assert.match(ended.stderr, /\n {2}1 sign-in code sent by e-mail\n/);
      const { lost } = JSON.parse(ended.stdout) as { lost: Record<string, number> };
      assert.deepEqual([lost['unreadable'], lost['owners_of_orders'], lost['owners_of_cases']], [0, 1, 0]);
      await adoptMasterKey({ store, keyring: next, clock: systemClock });
      await assertEverythingFound(store, next, seeded);
      await assert.rejects(requireMasterKey({ store, keyring: previous }), /not the key/);
      const again = await runChange(place);
      assert.deepEqual([again.code, again.stderr], [0, '']);
      assert.match(again.stdout, /^The records now use the new key\. Put it into MASTER_KEY/);
    });

    test('it refuses to begin while a service runs, and to end if one ran meanwhile', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const store = await openTestStore(t, place);
      const seeded = await seedKeyedRecords(store, previous, 3);
      await adoptMasterKey({ store, keyring: previous, clock: systemClock });
      for (const early of [await runChange(place), await runLost(place, 'lost\n')]) {
        assert.equal(early.code, 1, early.stdout);
        assert.match(
          early.stderr,
          /^A service ran with these records at [\d-]+ [\d:]+ UTC\. Stop every instance, then run this again after [\d-]+ [\d:]+ UTC\.\n$/,
        );
      }
      await assertEverythingFound(store, previous, seeded);
      const notes = await listMasterKeys(store.records);
      await recordEarlierService(store, previous);
      assert.equal(await store.transaction((records) => deleteMasterKeys(records, notes)), false);
      assert.equal((await listMasterKeys(store.records)).length, 1);
    });

    test('a service that comes back with the previous key is not ready, and is caught up with', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const store = await openTestStore(t, place);
      const ann = await createAddressUser(store, previous, 'ann@example.com');
      await recordEarlierService(store, previous);
      assert.equal((await runChange(place)).code, 0);
      const forgotten = { store, keyring: previous, clock: { now: () => Date.now() - HOUR_MS } };
      const bob = await createAddressUser(store, previous, 'bob@example.com');
      const twin = await createAddressUser(store, previous, 'ann@example.com');
      const { clientId } = await createAgentClient({ store, clock: systemClock });
      const owner = computeOrderOwnerTag(previous, { clientId, userId: twin });
      await insertOrder(store.records, createSampleOrder({ owner }));
      await assert.rejects(recordMasterKey(forgotten, MINUTE_MS), /unfinished/);
      const merged = await runChange(place);
      assert.equal(merged.code, 0, merged.stderr);
      assert.match(merged.stderr, /\n {2}1 user who signed in/, 'one person had two entries');
      assert.doesNotMatch(merged.stderr, /could not be encrypted again|can find any longer/);
      const users = await store.records.selectFrom('users').select('id').execute();
      assert.deepEqual(
        users.map(({ id }) => id).toSorted(),
        [ann, bob].toSorted(),
        'nothing is left of the previous key',
      );
      const owned = await store.records.selectFrom('orders').select('owner').executeTakeFirstOrThrow();
      assert.equal(owned.owner, computeOrderOwnerTag(next, { clientId, userId: ann }));
      assert.equal(
        await findUserId(store.records, { address_tag: next.tag('user address', 'bob@example.com') }),
        bob,
      );
      await adoptMasterKey({ store, keyring: next, clock: systemClock });
    });

    test('with the previous key lost it says what goes, asks, and leaves records that work', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const store = await openTestStore(t, place);
      const { records } = store;
      const seeded = await seedKeyedRecords(store, previous, 3);
      const unasked = await runLost(place, 'yes\n');
      assert.equal(unasked.code, 1, unasked.stdout);
      for (const line of [
        '3 orders whose payment is unknown',
        '2 users who',
        '1 buyer who',
        '1 program whose contact',
        '1 webhook that',
        '5 orders that no program can find any longer',
        '1 case that no program can find any longer',
      ])
        assert.match(unasked.stderr, new RegExp(`^ {2}${line}`, 'm'));
      assert.match(unasked.stderr, /Not confirmed, so nothing was changed/);
      await assertEverythingFound(store, previous, seeded);

      const ended = await runLost(place, 'lost\n');
      assert.equal(ended.code, 0, ended.stderr);
      await adoptMasterKey({ store, keyring: next, clock: systemClock });

      const record = await findCaseByLookup(records, seeded.lookupHash, Date.now());
      assert.ok(record);
      assert.deepEqual([record.owner, record.notice_id], [null, null]);
      assert.equal(record.words_tag, deriveWordsTag(next, seeded.lookupHash));
      for (const table of [
        'users',
        'webhooks',
        'webhook_events',
        'case_webhooks',
        'order_webhooks',
        'notices',
        'kept_secrets',
      ] as const)
        assert.deepEqual(await records.selectFrom(table).selectAll().execute(), [], table);
      const registration = await findRegistration(records, seeded.registration.id);
      assert.ok(registration);
      assert.equal(decryptRegistrationContact(next, registration), 'maintainer@localhost');
      const orders = await records.selectFrom('orders').selectAll().execute();
      assert.ok(orders.every((order) => order.owner === null && order.session_ciphertext === null));
      const [sessionId = ''] = seeded.sessions;
      const [order] = orders;
      assert.ok(
        order && (await bindOrderSession(records, order.id, encryptSessionId(next, sessionId, order.id))),
      );
      assert.match((await runLost(place, '')).stdout, /^The records now use the key in MASTER_KEY\./);
    });
  });

test('the keys are checked before anything is done, and none is quoted', async (t) => {
  const place = await sqliteUnderTest.createDatabase(t);
  const store = await openTestStore(t, place);
  await recordEarlierService(store, previous);
  const other = generateMasterKey();
  const otherFile = join(folder, 'other.key');
  await writeFile(otherFile, other);
  await writeFile(join(folder, 'two.key'), `${NEXT},${PREVIOUS}`);
  const cases: [string, string[], number, RegExp][] = [
    [PREVIOUS, [], 64, /^Use either --new FILE or --lost/],
    [PREVIOUS, ['--lost', '--new', nextFile], 64, /^Use either --new FILE or --lost/],
    [PREVIOUS, ['--new', other], 64, /^--new takes the name of a file/],
    [PREVIOUS, ['--new', join(folder, 'none.key')], 66, /no such file/],
    [PREVIOUS, ['--new', join(folder, 'two.key')], 78, /two\.key: expected one key/],
    [NEXT, ['--new', nextFile], 78, /^The new key is the same as MASTER_KEY/],
    [other, ['--new', nextFile], 78, /^MASTER_KEY: not the key that this database was written with/],
    [`${NEXT},${PREVIOUS}`, ['--new', nextFile], 78, /MASTER_KEY: expected one key .* keys master change/],
  ];
  for (const [masterKey, args, code, line] of cases) {
    const refused = await runCli(buildEnv(place, masterKey), [...CHANGE, ...args]);
    assert.equal(refused.code, code, refused.stderr);
    assert.match(refused.stderr, line);
    for (const key of [PREVIOUS, NEXT, other]) assert.ok(!refused.stderr.includes(key));
  }
  await requireMasterKey({ store, keyring: previous });
  await recordEarlierService(store, previous);
  await store.records
    .insertInto('master_keys')
    .values({ tag: next.tag('keyring check', 'master key') })
    .execute();
  const another = await runCli(buildEnv(place, PREVIOUS), [...CHANGE, '--new', otherFile]);
  assert.equal(another.code, 78);
  assert.match(another.stderr, /^the change of the master key is unfinished; .* with the same keys\n$/);
  assert.equal((await runChange(place)).code, 0);
});
