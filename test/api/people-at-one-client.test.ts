/** Two people at one client, and another client: none reaches what the client bought, sent or stores for another. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { letterFile } from '#test/cases/sealed-form.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import {
  type ApiAgent,
  assertProblem,
  openAgentCase,
  samplePlainInquiry,
  sealBuyerMessage,
  sealInquiryForOrder,
  shareApiTestbed,
  toInlineSealedBody,
  uploadSealedFiles,
} from './api-testbed.ts';
import {
  createAgentByWords,
  createAgentForAddress,
  listVisibleCases,
  listVisibleOrders,
  tryCaseOperations,
} from './people.ts';

const testbed = await shareApiTestbed();
const { oauth } = testbed;
const client = await oauth.createClient();
const ann = await createAgentForAddress(testbed, client, 'ann@example.com');
const own = await requestClientAgent();
/** All who are not Ann at this client: another person, the client for itself, Ann at another client, another client. */
const others: readonly (readonly [who: string, agent: ApiAgent])[] = [
  ['another person at the client', await createAgentForAddress(testbed, client, 'bob@example.com')],
  ['the client for itself', own],
  [
    'the person at another client',
    await createAgentForAddress(testbed, await oauth.createClient(), 'ann@example.com'),
  ],
  ['another client', await testbed.createAgent()],
];
const opened = await openAgentCase(testbed, ann, 'Deep Sweep');
const unused = await ann.buy('Deep Sweep');
const form = await sealInquiryForOrder(testbed, unused, [letterFile]);
await uploadSealedFiles(ann, unused, form);

async function requestClientAgent(): Promise<ApiAgent> {
  return testbed.createAgentWithToken(client, await oauth.obtainBearer(client));
}

async function countPieces(): Promise<number> {
  return (await testbed.store.records.selectFrom('object_pieces').select('piece').execute()).length;
}

for (const [who, other] of others) {
  test(`${who} lists none of a person’s orders and cases`, async () => {
    assert.deepEqual(await listVisibleOrders(other), []);
    assert.deepEqual(await listVisibleCases(other), []);
  });

  test(`${who} gets the answers of a case that never existed, whatever is tried`, async () => {
    const { json } = await ann.request('GET', `/cases/${opened.id}`);
    const [file] = json['files'] as { id: string }[];
    const message = { seq: 0, sealed: await sealBuyerMessage(opened) };
    const foreign = await tryCaseOperations(other, { id: opened.id, file: file?.id ?? '' }, message);
    const unknown = await tryCaseOperations(other, { id: 'A'.repeat(22), file: 'B'.repeat(22) }, message);
    assert.deepEqual(foreign, unknown);
    assert.deepEqual(new Set(foreign.map((answer) => answer.slice(0, 3))), new Set(['404']));
    assert.deepEqual((await ann.request('GET', `/cases/${opened.id}`)).json, json);
  });

  test(`${who} cannot spend a person’s paid order, by its id or by its checkout session`, async () => {
    const sealed = toInlineSealedBody(await sealInquiryForOrder(testbed, unused));
    const plain = { inquiry: samplePlainInquiry };
    const answers = new Set<string>();
    for (const payment of [
      { order_id: unused.orderId },
      { session_id: unused.sessionId },
      { order_id: 'A'.repeat(22) },
      { session_id: 'cs_test_unknown0000' },
    ])
      for (const content of [{ sealed }, { plain }]) {
        const answer = await other.submit({ ...payment, ...content });
        assertProblem(answer, 404, 'not_found');
        answers.add(JSON.stringify({ ...answer.json, request_id: '' }));
      }
    assert.equal(answers.size, 1, 'as if there were none');
    assert.equal((await testbed.findOrder(unused.sessionId))?.redeemed, 0);
  });

  test(`${who} adds no piece to a person’s uploads, and takes none of them`, async () => {
    const before = await countPieces();
    const uploadPiece = (order: string, upload: string) =>
      other.request('PUT', `/orders/${order}/uploads/${upload}/1`, randomBytes(10));
    assertProblem(await uploadPiece(unused.orderId, 'N'.repeat(22)), 404, 'not_found');
    assertProblem(await uploadPiece(unused.orderId, form.inquiry.upload), 404, 'not_found');
    const bought = await other.buy();
    assertProblem(await uploadPiece(bought.orderId, form.inquiry.upload), 404, 'not_found');
    const sealed = toInlineSealedBody(await sealInquiryForOrder(testbed, bought));
    const { upload, bytes } = form.files[0]!;
    const taking = { ...sealed, files: [{ upload, size: bytes.length }] };
    const answer = await other.submit({ order_id: bought.orderId, sealed: taking });
    assertProblem(answer, 409, 'upload_incomplete');
    assert.equal(await countPieces(), before);
  });

  test(`${who} has Idempotency-Keys of their own`, async () => {
    const key = { 'idempotency-key': who.replaceAll(' ', '-') };
    const checkOut = async ({ authorization }: ApiAgent, tier = 'Trace') =>
      await testbed.postCheckout(tier, { authorization, ...key });
    const first = await checkOut(ann);
    assert.notEqual((await checkOut(other)).json['url'], first.json['url']);
    assert.equal((await checkOut(ann)).json['url'], first.json['url']);
    const sendContact = (agent: ApiAgent, message: string) =>
      agent.request('POST', '/contact', { plain: { topic: 'question', message } }, key);
    const messages = ['The message of one person', 'The message of the other'] as const;
    assert.equal((await sendContact(ann, messages[0])).status, 202);
    assert.equal((await sendContact(other, messages[1])).status, 202);
    assertProblem(await sendContact(ann, messages[1]), 422, 'idempotency_key_reused');
    const submitPlain = async (agent: ApiAgent) => {
      const { orderId } = await agent.buy();
      return await agent.submit({ order_id: orderId, plain: { inquiry: samplePlainInquiry } }, key);
    };
    const [mine, theirs] = [await submitPlain(ann), await submitPlain(other)];
    assert.deepEqual([mine.status, theirs.status], [201, 201], theirs.text);
    assert.notEqual(mine.json['id'], theirs.json['id']);
  });

  test(`${who} opens no case with the words of a person’s case`, async () => {
    const { orderId, sessionId } = await other.buy();
    const plain = { inquiry: samplePlainInquiry, words: opened.form.words };
    for (const content of [{ plain }, { sealed: toInlineSealedBody(opened.form) }])
      assertProblem(await other.submit({ order_id: orderId, ...content }), 409, 'case_exists');
    assert.equal((await testbed.findOrder(sessionId))?.redeemed, 0);
  });
}

test('the person still has it all, with every later token at this client', async () => {
  const later = await createAgentForAddress(testbed, client, 'ann@example.com');
  assert.ok((await listVisibleCases(later)).includes(opened.id));
  assert.ok((await listVisibleOrders(later)).includes(unused.orderId));
  const sealed = toInlineSealedBody(form);
  const answer = await later.submit({ order_id: unused.orderId, sealed });
  assert.equal(answer.status, 201, answer.text);
});

test('a person who signs in with the words sees the case, at any client, and nothing else of the person', async () => {
  for (const at of [client, await oauth.createClient()]) {
    const byWords = await createAgentByWords(testbed, at, opened.form.words);
    assert.deepEqual(await listVisibleCases(byWords), [opened.id]);
    assert.deepEqual(await listVisibleOrders(byWords), []);
    assert.equal((await byWords.request('GET', `/cases/${opened.id}`)).status, 200);
  }
});

test('what version 0.1.0 stored for a client stays with the client alone', async () => {
  const { keyring } = testbed.services;
  const { record } = await seedCase(testbed.store, {
    lookup_hash: (await deriveWordKeys(generateWords())).lookupHash,
    owner: keyring.tag('case owner', `client ${client.clientId}`),
  });
  const order = createSampleOrder({ owner: keyring.tag('order owner', client.clientId), payment: 'paid' });
  await testbed.store.records.insertInto('orders').values(order).execute();
  assert.ok((await listVisibleCases(own)).includes(record.id));
  assert.ok((await listVisibleOrders(own)).includes(order.id));
  for (const person of [ann, others[0]![1]]) {
    assert.ok(!(await listVisibleCases(person)).includes(record.id));
    assert.ok(!(await listVisibleOrders(person)).includes(order.id));
    assertProblem(await person.request('DELETE', `/cases/${record.id}`), 404, 'case_unknown');
  }
});
