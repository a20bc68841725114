/** Seeds records of every kind that the master key seals or tags, and checks that a keyring finds them. */
import assert from 'node:assert/strict';
import {
  buildWordsUserTags,
  computeCaseOwnerTag,
  deriveCaseViewer,
  deriveWordsTag,
  deriveWordsUserTag,
} from '#cases/access.ts';
import { deriveUploader, storeUploadPiece } from '#cases/intake/uploads.ts';
import { deriveCaseUploader } from '#cases/messages/message-files.ts';
import { openNoticeAddress, setNoticeAddress } from '#cases/notices/notice-address.ts';
import { createRegistration } from '#clients/registration.ts';
import { decryptRegistrationContact } from '#clients/registration-mail.ts';
import { requireWebhook, setWebhook } from '#clients/webhook.ts';
import { ENGLISH } from '#language/languages.ts';
import { requestSignInCode } from '#oauth/sign-in/email-code.ts';
import { linkOrderToWebhook } from '#payments/order-events.ts';
import { computeSessionTag, decryptSessionId, encryptSessionId } from '#payments/session-id.ts';
import { systemClock } from '#platform/clock.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { generateId } from '#platform/text/ids.ts';
import { findCaseForViewer } from '#store/cases/cases.ts';
import { findNotice } from '#store/cases/notices.ts';
import { findRegistration } from '#store/clients/registrations.ts';
import { findOrCreateUser, findUserId } from '#store/clients/users.ts';
import {
  computeQueueTag,
  enqueueWebhookEvent,
  openWebhookClient,
  openWebhookEvent,
} from '#store/clients/webhook-ciphertexts.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import { recordMasterKey } from '#store/keys/master-keys.ts';
import { listSealedRows, type SealedTable } from '#store/keys/sealed-rows.ts';
import { loadOrCreateSecret } from '#store/keys/stored-secrets.ts';
import { findOrderBySession, insertOrder } from '#store/orders/orders.ts';
import { computeOrderOwnerTag } from '#store/owner.ts';
import type { Store } from '#store/store.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { createClient } from '#test/oauth/created-client.ts';
import { silentLog } from './engines.ts';
import { createSampleOrder } from './sample-order.ts';

export async function createAddressUser(store: Store, keyring: Keyring, address: string): Promise<string> {
  const id = generateId();
  const tag = { address_tag: keyring.tag('user address', address) };
  const user = { id, ...tag, address_ciphertext: keyring.seal('user address', address, id), created_at: 1 };
  return await store.transaction((records) => findOrCreateUser(records, tag, user));
}

/** Simulates a service with this keyring that ran an hour ago. */
export async function recordEarlierService(store: Store, keyring: Keyring): Promise<void> {
  await recordMasterKey({ store, keyring, clock: { now: () => Date.now() - HOUR_MS } }, MINUTE_MS);
}

export async function createAgentClient(services: Parameters<typeof createClient>[0]) {
  return await createClient(services, {
    name: 'Agent',
    scopes: ['case:read'],
    grants: ['client_credentials'],
    redirectUris: [],
    credentials: 'bearer',
  });
}

/** Seeds orders of a person at a client, a case with its words user, uploads, and the service's own secrets. */
export async function seedKeyedRecords(store: Store, previous: Keyring, orders: number) {
  const services = { store, keyring: previous, clock: systemClock };
  const { clientId } = await createAgentClient(services);
  const userId = await createAddressUser(store, previous, 'ann@example.com');
  const owner = { clientId, userId };
  const sessions = Array.from({ length: orders }, () => `cs_test_${generateId().replace(/\W/g, '0')}`);
  for (const sessionId of sessions) {
    const order = createSampleOrder({ payment: 'paid', owner: computeOrderOwnerTag(previous, owner) });
    const session = encryptSessionId(previous, sessionId, order.id);
    await insertOrder(store.records, {
      ...order,
      session_tag: session.tag,
      session_ciphertext: session.ciphertext,
    });
  }
  const gone = computeOrderOwnerTag(previous, { clientId: 'a client that is gone', userId: null });
  await insertOrder(store.records, createSampleOrder({ owner: gone }));
  const lookupHash = generateId();
  const wordsTag = deriveWordsTag(previous, lookupHash);
  const { record } = await seedCase(store, {
    lookup_hash: lookupHash,
    words_tag: wordsTag,
    owner: computeCaseOwnerTag(previous, { clientId, userId: null }),
  });
  const wordsUser = { id: generateId(), created_at: 1 };
  await store.records
    .insertInto('users')
    .values({ ...wordsUser, ...buildWordsUserTags(previous, wordsTag, wordsUser.id) })
    .execute();
  for (const uploader of [
    deriveUploader(previous, { sessionId: sessions[0] ?? '' }),
    deriveCaseUploader(previous, record.id),
  ])
    await storeUploadPiece(services, uploader, { upload: generateId(), piece: 0, bytes: Buffer.from('x') });
  const told = { address: 'told@example.com', language: 'en' } as const;
  const noticed = await setNoticeAddress(services, record.id, told);
  const registration = await createRegistration(services, {
    name: 'Agent',
    contact: 'dev@example.com',
    identityType: 'email',
    credentials: 'bearer',
    redirectUris: [],
  });
  const secret = await loadOrCreateSecret(services, 'signing key', async () => 'a secret');
  await requestSignInCode(services, 'a sign-in', 'ann@example.com', ENGLISH);
  const webhookNetwork = { resolveHost: async () => ['93.184.215.14'], allowLoopback: false };
  const choice = { url: 'https://agent.example/', rotateSecret: false };
  await setWebhook({ ...services, webhookNetwork, log: silentLog }, clientId, choice);
  const pending = createSampleOrder({ owner: computeOrderOwnerTag(previous, { clientId, userId: null }) });
  await insertOrder(store.records, pending);
  await linkOrderToWebhook(store.records, previous, pending, { clientId, userId: null });
  const event = { clientId, type: 'case.question', subject: record.id, at: 1 } as const;
  await enqueueWebhookEvent(store.records, previous, event);
  await recordEarlierService(store, previous);
  const ids = { pendingId: pending.id, clientId, userId, wordsUserId: wordsUser.id };
  return {
    ...ids,
    owner,
    sessions,
    record,
    lookupHash,
    secret,
    registration,
    noticeId: noticed.notice_id ?? '',
  };
}

export type KeyedRecords = Awaited<ReturnType<typeof seedKeyedRecords>>;

async function findSealedRow<Table extends SealedTable>({ records }: Store, table: Table) {
  const [row] = await listSealedRows(records, table, { after: '', limit: 1 });
  assert.ok(row, table);
  return row;
}

/** Lists the uploaders of uploads that are not yet part of a case. */
async function listUploaders({ records }: Store): Promise<string[]> {
  const rows = await records.selectFrom('objects').select('uploader').where('case_id', 'is', null).execute();
  return rows.flatMap(({ uploader }) => uploader ?? []);
}

export async function assertEverythingFound(
  store: Store,
  keyring: Keyring,
  seeded: KeyedRecords,
): Promise<void> {
  const { records } = store;
  for (const sessionId of seeded.sessions) {
    const order = await findOrderBySession(records, computeSessionTag(keyring, sessionId));
    assert.ok(order);
    assert.equal(decryptSessionId(keyring, order), sessionId);
    assert.equal(order.owner, computeOrderOwnerTag(keyring, seeded.owner));
  }
  const address_tag = keyring.tag('user address', 'ann@example.com');
  assert.equal(await findUserId(records, { address_tag }), seeded.userId);
  const words_tag = deriveWordsUserTag(keyring, deriveWordsTag(keyring, seeded.lookupHash));
  assert.equal(await findUserId(records, { words_tag }), seeded.wordsUserId);
  for (const userId of [seeded.wordsUserId, null]) {
    const viewer = await deriveCaseViewer({ keyring, store }, { clientId: seeded.clientId, userId });
    assert.ok(await findCaseForViewer(records, seeded.record.id, viewer, Date.now()), `user ${userId}`);
  }
  const holders = [
    deriveUploader(keyring, { sessionId: seeded.sessions[0] ?? '' }),
    deriveCaseUploader(keyring, seeded.record.id),
  ];
  assert.deepEqual((await listUploaders(store)).toSorted(), holders.toSorted());
  assert.equal(await loadOrCreateSecret({ store, keyring }, 'signing key', assert.fail), seeded.secret);
  const registration = await findRegistration(records, seeded.registration.id);
  assert.ok(registration);
  assert.equal(decryptRegistrationContact(keyring, registration), 'dev@example.com');
  const notice = await findNotice(records, seeded.noticeId);
  assert.equal(notice && openNoticeAddress(keyring, notice).address, 'told@example.com');
  const webhook = await requireWebhook({ keyring, store }, seeded.clientId);
  assert.equal(webhook.url, 'https://agent.example/');
  const linked = await findSealedRow(store, 'case_webhooks');
  assert.equal(openWebhookClient(keyring, linked.client_ciphertext, seeded.record.id), seeded.clientId);
  const ordered = await findSealedRow(store, 'order_webhooks');
  assert.equal(openWebhookClient(keyring, ordered.client_ciphertext, seeded.pendingId), seeded.clientId);
  const event = await findSealedRow(store, 'webhook_events');
  assert.equal(openWebhookEvent(keyring, event).subject, seeded.record.id);
  assert.equal(computeQueueTag(keyring, seeded.clientId, 'case'), event.queue_tag);
}
