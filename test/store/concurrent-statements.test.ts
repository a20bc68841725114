/** Concurrent statements below SERIALIZABLE on PostgreSQL: an index, a condition or a lock lets only one succeed. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test, { after } from 'node:test';
import { Client } from 'pg';
import { recordCaseReading } from '#cases/desk/audited-change.ts';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { deriveUploader, storeUploadPiece } from '#cases/intake/uploads.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { readCasesToReseal, replaceAdoptedSet } from '#cases/sealing/reseal.ts';
import { generateId } from '#platform/text/ids.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { findLastAuditEntry } from '#store/audit-log.ts';
import { findRecipientSet } from '#store/keys/recipient-set.ts';
import {
  encodeBase64url,
  openAgentCase,
  openApiTestbed,
  type PaidCheckout,
  sealInquiryForOrder,
  toInlineSealedBody,
} from '#test/api/api-testbed.ts';
import { largeFile, splitIntoPieces } from '#test/cases/sealed-form.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { waitUntil } from '#test/patience.ts';
import { openPostgresEngine } from './engines.ts';

const AT_ONCE = 4;
const NO_OWNER = { clientId: '', userId: null };
const cleanUp = withReverseCleanup({ after });
const { env } = await (await openPostgresEngine(cleanUp)).createDatabase(cleanUp);
const testbed = await openApiTestbed(cleanUp, { env, resolveHost: async () => ['93.184.215.14'] });
const { store, services } = testbed;
const agent = await testbed.createAgent();

const sendAtOnce = async (ask: () => Promise<HttpsResponse>) =>
  await Promise.all(Array.from({ length: AT_ONCE }, ask));

function countStatuses(answers: readonly HttpsResponse[]): Record<string, number | undefined> {
  const groups = Object.groupBy(answers, ({ status }) => status);
  return Object.fromEntries(Object.entries(groups).map(([status, group]) => [status, group?.length]));
}

const seal = async (order: Pick<PaidCheckout, 'orderId'>) =>
  toInlineSealedBody(await sealInquiryForOrder(testbed, order));

const submit = async ({ orderId }: PaidCheckout, key?: string) => {
  const sealed = await seal({ orderId });
  return await agent.submit({ order_id: orderId, sealed }, key ? { 'idempotency-key': key } : {});
};

/** Locks the order in another connection, so that the statement that redeems it begins but cannot finish. */
const holdOrder = async (t: test.TestContext, { orderId }: PaidCheckout) =>
  await holdRow(t, 'select from orders where id = $1 for update', orderId);

async function holdRow(t: test.TestContext, statement: string, id: string) {
  const client = new Client(env['DATABASE_URL']);
  await client.connect();
  t.after(() => client.end());
  await client.query('begin');
  await client.query(statement, [id]);
  return {
    awaitWaiters: async (number: number) =>
      await waitUntil(`${number} wait`, async () => {
        const { rows } = await client.query(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        );
        return rows.length === number;
      }),
    release: async () => void (await client.query('commit')),
  };
}

test('of inquiries for one order, each with words of its own, one opens a case', async () => {
  const order = await agent.buy();
  const answers = await sendAtOnce(() => submit(order));
  assert.deepEqual(countStatuses(answers), { 201: 1, 409: AT_ONCE - 1 });
});

test('of inquiries with the same words and an order each, one opens a case and redeems its order', async () => {
  const orders = await Promise.all(Array.from({ length: AT_ONCE }, () => agent.buy()));
  const sealed = await seal(orders[0]!);
  const answers = await Promise.all(orders.map(({ orderId }) => agent.submit({ order_id: orderId, sealed })));
  assert.deepEqual(countStatuses(answers), { 201: 1, 409: AT_ONCE - 1 });
  const ids = orders.map(({ orderId }) => orderId);
  const rows = await store.records.selectFrom('orders').select('redeemed').where('id', 'in', ids).execute();
  assert.equal(rows.filter(({ redeemed }) => redeemed === 1).length, 1);
});

test('the same inquiry with the same key opens one case, and another body is refused', async () => {
  const order = await agent.buy();
  const sealed = await seal(order);
  const key = { 'idempotency-key': randomUUID() };
  const answers = await sendAtOnce(() => agent.submit({ order_id: order.orderId, sealed }, key));
  assert.deepEqual(countStatuses(answers), { 201: AT_ONCE });
  assert.equal(new Set(answers.map(({ json }) => json['id'])).size, 1);
  const other = await submit(await agent.buy(), key['idempotency-key']);
  assert.deepEqual([other.status, other.json['code']], [422, 'idempotency_key_reused']);
});

for (const column of ['on_hold', 'livemode'] as const)
  test(`an inquiry that is refused for its ${column} leaves nothing behind, and its key is free`, async () => {
    const { orderId } = await agent.buy();
    const set = async (value: 0 | 1) =>
      await store.records.updateTable('orders').set(column, value).where('id', '=', orderId).execute();
    await set(1);
    const key = randomUUID();
    const refused = await submit({ orderId, sessionId: '' }, key);
    assert.deepEqual([refused.status, refused.json['code']], [409, 'payment_held'], refused.text);
    await set(0);
    assert.equal((await submit({ orderId, sessionId: '' }, key)).status, 201);
  });

test('a case and an order that are stored while the webhook of their client is set are known to it', async (t) => {
  const client = await testbed.createAgent();
  const order = await client.buy();
  const held = await holdOrder(t, order);
  const sealed = await seal(order);
  const sent = client.submit({ order_id: order.orderId, sealed });
  await held.awaitWaiters(1);
  const set = client.request('PUT', '/callback', { url: 'https://agent.example/events' });
  await held.awaitWaiters(2);
  await held.release();
  const { json, text } = await sent;
  assert.equal((await set).status, 201);
  const known = await store.records
    .selectFrom('case_webhooks')
    .select('case_id')
    .where('case_id', '=', String(json['id']))
    .execute();
  assert.equal(known.length, 1, text);
  await testbed.postCheckout('Trace', { authorization: client.authorization });
  assert.equal((await store.records.selectFrom('order_webhooks').select('order_id').execute()).length, 1);
});

test('of those who upload under one id one has it, and sends its piece as often as it likes', async () => {
  const orders = await Promise.all([agent.buy(), agent.buy()]);
  const upload = Buffer.from(randomUUID()).toString('base64url').slice(0, 22);
  const send = async ({ orderId }: PaidCheckout) =>
    await agent.request('PUT', `/orders/${orderId}/uploads/${upload}/0`, Buffer.alloc(9));
  const answers = await Promise.all([...orders, ...orders].map(send));
  assert.deepEqual(countStatuses(answers), { 204: 2, 404: 2 });
  assert.equal(answers[0]?.status, answers[2]?.status);
});

test('pieces of one upload that come at once are all stored, and none once it is part of a case', async () => {
  const [mine, other] = await Promise.all([agent.buy(), agent.buy()]);
  const form = await sealInquiryForOrder(testbed, mine, [largeFile]);
  const [file] = form.files;
  assert.ok(file);
  const send = async ({ orderId }: PaidCheckout, piece: number, bytes: Uint8Array) =>
    await agent.request('PUT', `/orders/${orderId}/uploads/${file.upload}/${piece}`, bytes);
  const pieces = splitIntoPieces(file);
  assert.ok(pieces.length > 2);
  assert.equal((await send(mine, 1, pieces[1]!)).status, 204, 'before the first');
  const answers = await Promise.all(
    [...pieces, ...pieces].map((bytes, at) => send(mine, at % pieces.length, bytes)),
  );
  assert.deepEqual(countStatuses(answers), { 204: 2 * pieces.length });
  assert.equal((await send(other, pieces.length, Buffer.alloc(9))).status, 404);
  const sealed = toInlineSealedBody(form);
  const opened = await agent.submit({ order_id: mine.orderId, sealed });
  assert.equal(opened.status, 201, opened.text);
  const uploader = deriveUploader(services.keyring, { orderId: mine.orderId, owner: NO_OWNER });
  const late = { upload: file.upload, piece: pieces.length, bytes: Buffer.alloc(9) };
  await assert.rejects(storeUploadPiece(services, uploader, late), { code: 'not_found' });
});

test('checkouts with the same key make one order', async () => {
  const headers = { authorization: agent.authorization, 'idempotency-key': randomUUID() };
  const answers = await sendAtOnce(() => testbed.postCheckout('Trace', headers));
  assert.deepEqual(countStatuses(answers), { 200: AT_ONCE });
  assert.equal(new Set(answers.map(({ json }) => json['url'])).size, 1);
});

test('of messages with one number one is stored, and one that is sent again is the same', async () => {
  const { id, form } = await openAgentCase(testbed, agent);
  const sealText = async (text: string, seq: number) => {
    const body = { text, call_windows: [], seen: 0, thread: '' };
    return encodeBase64url(await sealEnvelope(form.key, { kind: 'buyer-message.v1', seq }, body));
  };
  const send = async (seq: number, sealed: string) =>
    await agent.request('POST', `/cases/${id}/messages`, { seq, sealed });
  const others = await sendAtOnce(async () => await send(0, await sealText(randomUUID(), 0)));
  assert.deepEqual(countStatuses(others), { 201: 1, 409: AT_ONCE - 1 });
  const same = await sealText('CANARY', 1);
  assert.deepEqual(countStatuses(await sendAtOnce(() => send(1, same))), { 201: AT_ONCE });
  const { json } = await agent.request('GET', `/cases/${id}`);
  assert.deepEqual(json['messages'], { buyer: 2, desk: 0 });
});

test('a message of the buyer and one of the desk are both stored', async () => {
  const { id, form } = await openAgentCase(testbed, agent);
  const body = { text: 'CANARY', call_windows: [], seen: 0, thread: '' };
  const asked = await sealEnvelope(form.key, { kind: 'buyer-message.v1', seq: 0 }, body);
  const answered = await sealEnvelope(form.key, { kind: 'desk-message.v1', seq: 0 }, body);
  const [sent] = await Promise.all([
    agent.request('POST', `/cases/${id}/messages`, { seq: 0, sealed: encodeBase64url(asked) }),
    addCaseMessage(services, id, { by: 'desk', seq: 0, sealed: answered }),
  ]);
  assert.equal(sent.status, 201, sent.text);
  const { json } = await agent.request('GET', `/cases/${id}`);
  assert.deepEqual(json['messages'], { buyer: 1, desk: 1 });
});

test('of purges of one case one is done, and it is counted once', async () => {
  const { id } = await openAgentCase(testbed, agent);
  assert.equal((await agent.request('DELETE', `/cases/${id}`)).status, 200);
  const purges = Array.from({ length: AT_ONCE }, () => purgeCaseNow(services, id));
  const outcomes = await Promise.allSettled(purges);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  const [tombstone, ...others] = await store.records.selectFrom('tombstones').select('outcome').execute();
  assert.deepEqual([tombstone?.outcome, others], ['withdrawn', []]);
  const counts = await store.records.selectFrom('case_counts').select('counted').execute();
  assert.deepEqual(
    counts.map(({ counted }) => counted),
    [1, 1],
  );
});

test('a purge that loses against an act on its case leaves its notice', async (t) => {
  const id = await openWatchedCase();
  const held = await holdRow(t, "update cases set state = 'in_progress' where id = $1", id);
  const refused = assert.rejects(purgeCaseNow(services, id), { code: 'case_state' });
  await held.awaitWaiters(1);
  await held.release();
  await refused;
  assert.equal((await store.records.selectFrom('notices').select('id').execute()).length, 1);
});

test('a purge deletes the notice of its case, also one that was set while it waited', async (t) => {
  await store.records.deleteFrom('notices').execute();
  await purgeCaseNow(services, await openWatchedCase());
  assert.deepEqual(await store.records.selectFrom('notices').select('id').execute(), []);
  const [id, other] = [await openWatchedCase(), await insertNotice()];
  const held = await holdRow(t, `update cases set notice_id = '${other}' where id = $1`, id);
  const purged = purgeCaseNow(services, id);
  await held.awaitWaiters(1);
  await held.release();
  await purged;
  assert.ok(
    !(await store.records.selectFrom('notices').select('id').execute()).some((row) => row.id === other),
  );
});

test('a purge during which an address is left is refused, and deletes it when it is asked for again', async (t) => {
  await store.records.deleteFrom('notices').execute();
  const { id } = await openAgentCase(testbed, agent);
  assert.equal((await agent.request('DELETE', `/cases/${id}`)).status, 200);
  const leaving = `with added as (insert into notices (id, address_ciphertext, told_at) values ('left', 'x', 0) returning id)
    update cases set notice_id = (select id from added) where id = $1`;
  const held = await holdRow(t, leaving, id);
  const refused = assert.rejects(purgeCaseNow(services, id), { code: 'case_changed' });
  await held.awaitWaiters(1);
  await held.release();
  await refused;
  await purgeCaseNow(services, id);
  assert.deepEqual(await store.records.selectFrom('notices').select('id').execute(), []);
});

test('a reading that meets the mark of a purge is refused, and leaves no entry', async (t) => {
  const { id } = await openAgentCase(testbed, agent);
  const held = await holdRow(t, 'update cases set purging = 1, purge_at = 1 where id = $1', id);
  const read = recordCaseReading(services, id, null);
  const refused = assert.rejects(read, { code: 'case_unknown' });
  await held.awaitWaiters(1);
  await held.release();
  await refused;
  assert.equal(await findLastAuditEntry(store.records, id), null);
});

test('a case that is stored while its keys are replaced is found to be sealed again', async (t) => {
  const order = await agent.buy();
  const held = await holdOrder(t, order);
  const sent = submit(order);
  await held.awaitWaiters(1);
  const set = await findRecipientSet(store.records);
  assert.ok(set);
  const next = { tag: `other ${randomUUID()}`, members: set.members };
  const toReseal = replaceAdoptedSet(services, set.tag, next, 'an owner').then(
    async () => await readCasesToReseal(services, next.tag, { after: '', limit: 1_000 }),
  );
  await held.awaitWaiters(2);
  await held.release();
  const { status, json, text } = await sent;
  assert.equal(status, 201, text);
  assert.ok((await toReseal).some(({ id }) => id === json['id']));
  const late = await submit(await agent.buy());
  assert.equal(late.json['code'], 'sealing_keys_changing', late.text);
});

/** Creates a case with an address for notices, and withdraws it. */
async function openWatchedCase(): Promise<string> {
  const { id } = await openAgentCase(testbed, agent);
  assert.equal((await agent.request('DELETE', `/cases/${id}`)).status, 200);
  const notice_id = await insertNotice();
  await store.records.updateTable('cases').set({ notice_id }).where('id', '=', id).execute();
  return id;
}

async function insertNotice(): Promise<string> {
  const notice = { id: generateId(), address_ciphertext: Buffer.from('x'), told_at: 0 };
  await store.records.insertInto('notices').values(notice).execute();
  return notice.id;
}
