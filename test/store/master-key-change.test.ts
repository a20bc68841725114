/** A change of the master key on both engines: two keys make no second person, and ending the former one loses nothing. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test, { after, suite } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { computeCaseOwnerTag, deriveCaseViewer } from '#cases/access.ts';
import { openNoticeAddress, setNoticeAddress } from '#cases/notice-address.ts';
import { buildWordsUserTags, deriveWordsTags, deriveWordsUserTags } from '#cases/words-user.ts';
import { requireCallback, setCallback } from '#clients/callback.ts';
import { createClient } from '#clients/clients.ts';
import { createRegistration } from '#clients/registration.ts';
import { decryptRegistrationContact } from '#clients/registration-mail.ts';
import { createOidcAdapterFactory } from '#oauth/adapter.ts';
import { createResourceNaming } from '#oauth/one-resource.ts';
import { requestSignInCode } from '#oauth/sign-in/email-code.ts';
import { linkOrderToCallback } from '#payments/order-events.ts';
import { computeOrderOwnerTag } from '#payments/owner.ts';
import { computeSessionTags, decryptSessionId, encryptSessionId } from '#payments/session-id.ts';
import { systemClock } from '#platform/clock.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/ids.ts';
import {
  computeQueueTags,
  enqueueCallbackEvent,
  openCallbackClient,
  openCallbackEvent,
} from '#store/callback-boxes.ts';
import { listCaseCallbacks } from '#store/case-callbacks.ts';
import { findCaseForViewer } from '#store/cases.ts';
import { claimIdempotencyKey, toIdempotentRequest } from '#store/idempotent-request.ts';
import { createKeyring, generateMasterKey, type Keyring } from '#store/keyring.ts';
import {
  deleteMasterKey,
  findFormerMasterKey,
  recordMasterKey,
  requireMasterKeys,
} from '#store/master-keys.ts';
import { findNotice } from '#store/notices.ts';
import { listOrderCallbacks } from '#store/order-callbacks.ts';
import { findOrderBySession, insertOrder } from '#store/orders.ts';
import { findRegistration } from '#store/registrations.ts';
import type { Store } from '#store/store.ts';
import { loadOrCreateSecret } from '#store/stored-secrets.ts';
import { findOrCreateUser, findUserId } from '#store/users.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { type CliResult, runCli } from '#test/cli/desk-cli.ts';
import { COMPILE_CACHE } from '#test/service-process.ts';
import { listEngines, openTestStore, silentLog, sqliteUnderTest, type TestDatabase } from './engines.ts';
import { createSampleOrder } from './sample-order.ts';

const naming = createResourceNaming({ api: 'https://office.example/api', resources: [] });
const cleanUp = withReverseCleanup({ after });
const [FORMER, NEXT] = [generateMasterKey(), generateMasterKey()];
const former = createKeyring(FORMER);
const prepared = createKeyring(FORMER, NEXT);
const changed = createKeyring(NEXT, FORMER);
const next = createKeyring(NEXT);

function createAddressUser(keyring: Keyring, address: string) {
  const id = generateId();
  const tags = keyring.tags('user address', address);
  const box = keyring.seal('user address', address, id);
  return { tags: { address_tag: tags }, user: { id, address_tag: tags[0], address_box: box, created_at: 1 } };
}

/** As if an instance with this keyring had run an hour ago. */
async function recordEarlierInstance(store: Store, keyring: Keyring): Promise<void> {
  await requireMasterKeys({ store, keyring, clock: { now: () => Date.now() - HOUR_MS } });
}

/** Orders of a client and of a person at it, a case with its words user, and what the service keeps for itself. */
async function seedFormerRecords(store: Store, orders = 3) {
  const services = { store, keyring: former, clock: systemClock };
  const { clientId } = await createClient(services, {
    name: 'Agent',
    scopes: ['case:read'],
    grants: ['client_credentials'],
    redirectUris: [],
    credentials: 'bearer',
  });
  const ann = createAddressUser(former, 'ann@example.com');
  const userId = await store.transaction((records) => findOrCreateUser(records, ann.tags, ann.user));
  const owner = { clientId, userId };
  const sessions = Array.from({ length: orders }, () => `cs_test_${generateId()}`);
  for (const sessionId of sessions) {
    const order = createSampleOrder({ payment: 'paid', owner: computeOrderOwnerTag(former, owner) });
    const session = encryptSessionId(former, sessionId, order.id);
    await insertOrder(store.records, { ...order, session_tag: session.tag, session_box: session.box });
  }
  const gone = computeOrderOwnerTag(former, { clientId: 'a client that is gone', userId: null });
  await insertOrder(store.records, createSampleOrder({ owner: gone }));
  const lookupHash = generateId();
  const wordsTags = deriveWordsTags(former, lookupHash);
  const { record } = await seedCase(store, {
    lookup_hash: lookupHash,
    words_tag: wordsTags[0],
    owner: computeCaseOwnerTag(former, { clientId, userId: null }),
  });
  const wordsUser = { id: generateId(), created_at: 1 };
  await store.records
    .insertInto('users')
    .values({ ...wordsUser, ...buildWordsUserTags(former, wordsTags, wordsUser.id) })
    .execute();
  const noticed = await setNoticeAddress(services, record.id, {
    address: 'told@example.com',
    language: 'en',
  });
  const registration = await createRegistration(services, {
    name: 'Agent',
    contact: 'dev@example.com',
    identityType: 'email',
    credentials: 'bearer',
    redirectUris: [],
  });
  const adapter = createOidcAdapterFactory({ ...services, naming })('Interaction');
  await adapter.upsert('sign-in', { uid: 'sign-in', kind: 'Interaction' }, 3_600);
  const secret = await loadOrCreateSecret(services, 'signing key', async () => 'a secret');
  await requestSignInCode(services, 'a sign-in', 'ann@example.com');
  await recordEarlierInstance(store, former);
  const callbackNetwork = { resolveHost: async () => ['93.184.215.14'], allowLoopback: false };
  const choice = { url: 'https://agent.example/', rotateSecret: false };
  await setCallback({ ...services, callbackNetwork, log: silentLog }, clientId, choice);
  const pending = createSampleOrder({ owner: computeOrderOwnerTag(former, { clientId, userId: null }) });
  await insertOrder(store.records, pending);
  await linkOrderToCallback(store.records, former, pending, { clientId, userId: null });
  const event = { clientId, type: 'case.question', subject: record.id, at: 1 } as const;
  await enqueueCallbackEvent(store.records, former, event);
  const facts = {
    pendingId: pending.id,
    clientId,
    userId,
    owner,
    sessions,
    record,
    lookupHash,
    wordsUser,
    secret,
  };
  return { ...facts, registration, noticeId: noticed.notice_id ?? '' };
}

type FormerRecords = Awaited<ReturnType<typeof seedFormerRecords>>;

async function assertEverythingFound(store: Store, keyring: Keyring, seeded: FormerRecords): Promise<void> {
  const { records } = store;
  for (const sessionId of seeded.sessions) {
    const order = await findOrderBySession(records, computeSessionTags(keyring, sessionId));
    assert.ok(order);
    assert.equal(decryptSessionId(keyring, order), sessionId);
    assert.ok(keyring.keys.some((key) => computeOrderOwnerTag(key, seeded.owner) === order.owner));
  }
  const address_tag = keyring.tags('user address', 'ann@example.com');
  assert.equal(await findUserId(records, { address_tag }), seeded.userId);
  const words_tag = deriveWordsUserTags(keyring, deriveWordsTags(keyring, seeded.lookupHash));
  assert.equal(await findUserId(records, { words_tag }), seeded.wordsUser.id);
  for (const userId of [seeded.wordsUser.id, null]) {
    const viewer = await deriveCaseViewer({ keyring, store }, { clientId: seeded.clientId, userId });
    assert.ok(await findCaseForViewer(records, seeded.record.id, viewer, Date.now()), `user ${userId}`);
  }
  assert.equal(await loadOrCreateSecret({ store, keyring }, 'signing key', assert.fail), seeded.secret);
  const registration = await findRegistration(records, seeded.registration.id);
  assert.ok(registration);
  assert.equal(decryptRegistrationContact(keyring, registration), 'dev@example.com');
  const notice = await findNotice(records, seeded.noticeId);
  assert.equal(notice && openNoticeAddress(keyring, notice).address, 'told@example.com');
  const callback = await requireCallback({ keyring, store }, seeded.clientId);
  assert.equal(callback.url, 'https://agent.example/');
  const [linked] = await listCaseCallbacks(records, null, 1);
  assert.ok(linked);
  assert.equal(openCallbackClient(keyring, linked.client_box, seeded.record.id), seeded.clientId);
  const [ordered] = await listOrderCallbacks(records, null, 1);
  assert.ok(ordered);
  assert.equal(openCallbackClient(keyring, ordered.client_box, seeded.pendingId), seeded.clientId);
  const event = await records.selectFrom('callback_events').selectAll().executeTakeFirstOrThrow();
  assert.equal(openCallbackEvent(keyring, event).subject, seeded.record.id);
  assert.ok(computeQueueTags(keyring, seeded.clientId, 'case').includes(event.queue_tag));
  const adapter = createOidcAdapterFactory({ store, keyring, naming, clock: systemClock })('Interaction');
  assert.equal((await adapter.find('sign-in'))?.uid, 'sign-in');
}

function buildRetireEnv({ env }: TestDatabase): Record<string, string> {
  return { ...env, MASTER_KEY: `${NEXT},${FORMER}`, SWEEP_SECONDS: '60' };
}

async function runRetire(place: TestDatabase, ...args: string[]): Promise<CliResult> {
  return await runCli(buildRetireEnv(place), ['keys', 'master', 'retire', ...args]);
}

/** Ends the command, as a power failure would, once it has moved some of the orders. */
async function killRetire(store: Store, place: TestDatabase): Promise<void> {
  const child = spawn(process.execPath, ['bin/office.js', 'keys', 'master', 'retire', '--yes'], {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE, ...buildRetireEnv(place) },
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  const before = await readFirstBoxes(store);
  while (child.exitCode === null && (await readFirstBoxes(store)) === before) await sleep(5);
  child.kill('SIGKILL');
  await ended;
}

async function readFirstBoxes({ records }: Store): Promise<string> {
  const query = records.selectFrom('orders').select('session_box').orderBy('id').limit(2);
  return (await query.execute())
    .map(({ session_box: box }) => box && Buffer.from(box).toString('hex'))
    .join();
}

for (const engine of await listEngines(cleanUp))
  suite(`a change of the master key, on ${engine.name}`, () => {
    test('instances that put different keys first make one user and one claim between them', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const [one, other] = [await openTestStore(t, place), await openTestStore(t, place)];
      const sides = [
        { store: one, keyring: prepared },
        { store: other, keyring: changed },
      ];
      for (let round = 0; round < 5; round += 1) {
        const signIns = [...sides, ...sides].map(({ store, keyring }) =>
          store.transaction((records) => {
            const { tags, user } = createAddressUser(keyring, `round ${round}`);
            return findOrCreateUser(records, tags, user);
          }),
        );
        assert.equal(new Set(await Promise.all(signIns)).size, 1);
        const claims = [...sides, ...sides].map(({ store, keyring }) => {
          const request = toIdempotentRequest(keyring, { scope: 'x', key: `${round}`, body: 'same' });
          assert.ok(request);
          const id = generateId();
          return store.transaction(
            async (records) => (await claimIdempotencyKey(records, request, id, Date.now())) ?? id,
          );
        });
        assert.equal(new Set(await Promise.all(claims)).size, 1);
        const otherBody = toIdempotentRequest(prepared, { scope: 'x', key: `${round}`, body: 'other' });
        assert.ok(otherBody);
        await assert.rejects(
          one.transaction((records) => claimIdempotencyKey(records, otherBody, 'z', Date.now())),
          (error) => error instanceof ServiceError && error.code === 'idempotency_key_reused',
        );
      }
      for (const table of ['users', 'idempotency'] as const)
        assert.equal((await one.records.selectFrom(table).selectAll().execute()).length, 5, table);
    });

    test('the former key ends when everything is found with the new one, killed or not, and asked for', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const store = await openTestStore(t, place);
      const seeded = await seedFormerRecords(store, 450);
      for (const keyring of [former, prepared, changed]) await assertEverythingFound(store, keyring, seeded);
      await killRetire(store, place);
      await assertEverythingFound(store, changed, seeded);

      await requireMasterKeys({ store, keyring: prepared, clock: systemClock });
      const early = await runRetire(place, '--yes');
      assert.equal(early.code, 1, early.stderr);
      assert.match(
        early.stderr,
        /^The former key stays: a program that seals with it ran at [\d-]+ [\d:]+ UTC\..* again after [\d-]+ [\d:]+ UTC\./m,
      );
      await recordEarlierInstance(store, prepared);

      const unasked = await runRetire(place);
      assert.equal(unasked.code, 1, unasked.stderr);
      assert.match(unasked.stderr, /\n {2}1 order of programs or people that are gone\n/);
      assert.match(unasked.stderr, /\n {2}1 sign-in code already sent/);
      assert.match(unasked.stderr, /Not confirmed, so the former key stays/);
      await assert.rejects(requireMasterKeys({ store, keyring: next, clock: systemClock }), /also need/);

      const ended = await runRetire(place, '--yes');
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stdout, /Remove it from MASTER_KEY on every instance/);
      await requireMasterKeys({ store, keyring: next, clock: systemClock });
      await assertEverythingFound(store, next, seeded);
      const [code] = await store.records.selectFrom('sign_in_codes').selectAll().execute();
      assert.equal(code?.address_tag, next.tag('user address', 'ann@example.com'), 'still counted');
      assert.equal(code?.tries_left, 0);
      assert.match((await runRetire(place, '--yes')).stdout, /do not need the second key/);
    });

    test('an instance that goes on with the former key alone keeps it from ending, and needs it again', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const store = await openTestStore(t, place);
      await recordEarlierInstance(store, former);
      await recordEarlierInstance(store, changed);
      const forgotten = { store, keyring: former, clock: systemClock };
      await assert.rejects(recordMasterKey(forgotten), /also need/);
      const early = await runRetire(place, '--yes');
      assert.equal(early.code, 1, early.stdout);
      assert.match(early.stderr, /The former key stays: a program that seals with it ran at /);
      const key = await findFormerMasterKey({ store, keyring: changed });
      assert.ok(key && (await deleteMasterKey({ store }, key)));
      await assert.rejects(requireMasterKeys(forgotten), /not the key/);
      assert.equal(await findFormerMasterKey({ store, keyring: changed }), null, 'a start notes nothing');
      await assert.rejects(recordMasterKey(forgotten), /also need/);
      assert.ok(await findFormerMasterKey({ store, keyring: changed }));
    });
  });

test('one key has no former one', async (t) => {
  const place = await sqliteUnderTest.createDatabase(t);
  await recordEarlierInstance(await openTestStore(t, place), next);
  const alone = await runCli({ ...place.env, MASTER_KEY: NEXT }, ['keys', 'master', 'retire']);
  assert.equal(alone.code, 78);
  assert.match(alone.stderr, /^MASTER_KEY has one key[^\n]*\n$/);
  const twice = await runCli({ ...place.env, MASTER_KEY: `${NEXT},${NEXT}` }, ['keys', 'master', 'retire']);
  assert.equal(twice.code, 78);
  assert.match(twice.stderr, /two different/);
  const wrong = await runCli({ ...place.env, MASTER_KEY: FORMER }, ['keys', 'master', 'retire']);
  assert.equal(wrong.code, 78);
  assert.match(wrong.stderr, /not the key that this database was written with/);
});
