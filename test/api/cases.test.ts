/** A case followed through the API alone: details, messages, finding, retention, withdrawal. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deliverSealedFinding, toDeliveryUploader } from '#cases/delivery.ts';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { openCaseKey } from '#seal/core/case-key.ts';
import { openEnvelope, sealEnvelope } from '#seal/core/envelope.ts';
import { addSealedMessage } from '#test/cases/sealed-message.ts';
import {
  type ApiAgent,
  assertProblem,
  encodeBase64url,
  openAgentCase,
  samplePlainInquiry,
  sealBuyerMessage,
  shareApiTestbed,
} from './api-testbed.ts';

const testbed = await shareApiTestbed();
const agent = await testbed.createAgent();

interface CaseDetail {
  readonly state: string;
  readonly case_key: string;
  readonly messages: { readonly buyer: number; readonly desk: number };
  readonly files: readonly {
    readonly id: string;
    readonly kind: string;
    readonly seq: number;
    readonly size: number;
  }[];
}

interface MessagePage {
  readonly messages: readonly { readonly by: string; readonly seq: number; readonly sealed: string }[];
  readonly cursor: string;
  readonly next?: string;
}

async function getCaseDetail(id: string, reader: ApiAgent = agent): Promise<CaseDetail> {
  const answer = await reader.request('GET', `/cases/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as CaseDetail;
}

async function listMessages(id: string, query = ''): Promise<MessagePage> {
  const answer = await agent.request('GET', `/cases/${id}/messages${query}`);
  assert.equal(answer.status, 200, answer.text);
  const listed = answer.json as unknown as MessagePage;
  assert.equal(answer.headers.link !== undefined, listed.next !== undefined);
  return listed;
}

test('a program that asks again is told that nothing has changed, until something has', async () => {
  const { id, form } = await openAgentCase(testbed, agent);
  const { headers } = await agent.request('GET', `/cases/${id}`);
  const condition = { 'if-none-match': String(headers.etag) };
  const again = await agent.request('GET', `/cases/${id}`, undefined, condition);
  assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', headers.etag]);
  assert.equal(again.headers['cache-control'], 'no-store');
  await addSealedMessage(testbed.services, { id, key: form.key }, { by: 'desk', seq: 0, act: 'ask' });
  const changed = await agent.request('GET', `/cases/${id}`, undefined, condition);
  assert.deepEqual([changed.status, changed.json['state']], [200, 'awaiting_client']);
});

test('an agent decrypts its case with only the words and the API', async () => {
  const { id, form } = await openAgentCase(testbed, agent);
  const { state, case_key, files, messages: count } = await getCaseDetail(id);
  assert.deepEqual([state, count], ['received', { buyer: 0, desk: 0 }]);
  const key = await openCaseKey(Buffer.from(case_key, 'base64url'), form.keys.identity, form.keys.lookupHash);
  assert.deepEqual(
    files.map(({ kind, seq }) => [kind, seq]),
    [['inquiry.v1', 0]],
  );
  const [inquiry] = files;
  const answer = await agent.request('GET', `/cases/${id}/files/${inquiry?.id}`);
  assert.equal(answer.headers['content-type'], 'application/octet-stream');
  assert.equal(answer.headers['content-length'], String(inquiry?.size));
  const opened = await openEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, answer.bytes);
  assert.match(JSON.stringify(opened), /CANARY-QUESTION/);
});

test('the key of a case is opened only to be shown, not to list messages or to send a file', async (t) => {
  const { id, form } = await openAgentCase(testbed, agent);
  const { services } = testbed;
  const envelope = { text: 'Which name did she use?', call_windows: [] };
  const sealed = await sealEnvelope(form.key, { kind: 'desk-message.v1', seq: 0 }, envelope);
  await addCaseMessage(services, id, { by: 'desk', seq: 0, sealed });
  const { files } = await getCaseDetail(id);
  const openedKeys = t.mock.method(services.store.shredKeys, 'read').mock;
  assert.equal((await listMessages(id)).messages[0]?.sealed, encodeBase64url(sealed));
  assert.equal((await agent.request('GET', `/cases/${id}/files/${files[0]?.id}`)).status, 200);
  assert.equal(openedKeys.callCount(), 0);
  await getCaseDetail(id);
  assert.equal(openedKeys.callCount(), 1);
});

test('an agent answers a question from the desk and reads the finding', async () => {
  const opened = await openAgentCase(testbed, agent);
  const { id, form } = opened;
  const { services } = testbed;
  const question = { text: 'Which name did she use?', call_windows: [] };
  const sealedQuestion = await sealEnvelope(form.key, { kind: 'desk-message.v1', seq: 0 }, question);
  await addCaseMessage(services, id, { by: 'desk', seq: 0, sealed: sealedQuestion, act: 'ask' });
  assert.equal((await getCaseDetail(id)).state, 'awaiting_client');
  const [first] = (await listMessages(id)).messages;
  assert.deepEqual([first?.by, first?.seq, first?.sealed], ['desk', 0, encodeBase64url(sealedQuestion)]);

  const body = { seq: 0, sealed: await sealBuyerMessage(opened, 'Ann') };
  const key = { 'idempotency-key': `answer to ${id}`.replaceAll(' ', '-') };
  for (const answer of [
    await agent.request('POST', `/cases/${id}/messages`, body, key),
    await agent.request('POST', `/cases/${id}/messages`, body, key),
    await agent.request('POST', `/cases/${id}/messages`, body),
  ])
    assert.deepEqual([answer.status, answer.json['state']], [201, 'in_progress'], answer.text);
  const other = await agent.request('POST', `/cases/${id}/messages`, { ...body, seq: 1 }, key);
  assertProblem(other, 422, 'idempotency_key_reused');
  assert.deepEqual((await getCaseDetail(id)).messages, { buyer: 1, desk: 1 });

  const finding = await sealEnvelope(
    form.key,
    { kind: 'finding.v1', seq: 0 },
    { markdown: '# Ann', files: [] },
  );
  await deliverSealedFinding(services, id, { finding, files: [], uploader: toDeliveryUploader(id) });
  const { state, files } = await getCaseDetail(id);
  assert.equal(state, 'delivered');
  const findingFile = files.find(({ kind }) => kind === 'finding.v1');
  const { bytes } = await agent.request('GET', `/cases/${id}/files/${findingFile?.id}`);
  assert.deepEqual(Buffer.from(bytes), Buffer.from(finding));
});

test('messages are listed in pages, each once, and a saved cursor returns later messages', async () => {
  const { id, form } = await openAgentCase(testbed, agent);
  const add = async (by: 'buyer' | 'desk', seq: number) =>
    await addSealedMessage(testbed.services, { id, key: form.key }, { by, seq });
  for (const [by, seq] of [
    ['desk', 0],
    ['buyer', 0],
    ['buyer', 1],
    ['desk', 1],
    ['desk', 2],
  ] as const)
    await add(by, seq);
  const seen: string[] = [];
  let page = await listMessages(id, '?limit=2');
  for (;;) {
    seen.push(...page.messages.map(({ by, seq }) => `${by} ${seq}`));
    if (page.next === undefined) break;
    page = await listMessages(id, `?limit=2&after=${page.next}`);
  }
  assert.equal(new Set(seen).size, 5);
  assert.deepEqual(
    seen.filter((each) => each.startsWith('desk')),
    ['desk 0', 'desk 1', 'desk 2'],
  );
  assert.deepEqual((await listMessages(id, `?after=${page.cursor}`)).messages, []);
  await add('buyer', 2);
  const newMessages = await listMessages(id, `?after=${page.cursor}`);
  assert.deepEqual(
    newMessages.messages.map(({ by, seq }) => [by, seq]),
    [['buyer', 2]],
  );
  for (const query of ['?after=x', '?after=1', '?limit=51', '?limit=0', '?before=1'])
    assertProblem(await agent.request('GET', `/cases/${id}/messages${query}`), 422, 'validation_failed');
});

test('a page of long messages ends early, and says where the next one begins', async () => {
  const { id, form } = await openAgentCase(testbed, agent);
  const body = { text: 'x'.repeat(40_000) };
  for (let seq = 0; seq < 20; seq += 1)
    await addSealedMessage(testbed.services, { id, key: form.key }, { by: 'buyer', seq }, body);
  const first = await listMessages(id, '?limit=50');
  const bytes = first.messages.reduce((sum, { sealed }) => sum + (sealed.length * 3) / 4, 0);
  assert.ok(bytes <= httpLimits.answeredBytes, `${bytes} bytes`);
  const rest = await listMessages(id, `?limit=50&after=${first.next}`);
  assert.equal(first.messages.length + rest.messages.length, 20);
  assert.equal(rest.next, undefined);
});

test('a message that is not sealed, or has a used or future sequence number, is refused', async () => {
  const opened = await openAgentCase(testbed, agent);
  const { id } = opened;
  const [sealed, again] = [await sealBuyerMessage(opened, 'x'), await sealBuyerMessage(opened, 'y')];
  const postMessage = (body: object) => agent.request('POST', `/cases/${id}/messages`, body);
  assertProblem(
    await postMessage({ seq: 0, sealed: Buffer.from('in plain').toString('base64url') }),
    422,
    'not_sealed',
  );
  assertProblem(await postMessage({ seq: 1, sealed }), 409, 'case_changed');
  assert.equal((await postMessage({ seq: 0, sealed })).status, 201);
  assertProblem(await postMessage({ seq: 0, sealed: again }), 409, 'case_changed');
  assertProblem(await postMessage({ seq: 1, sealed: again, books_call: true }), 409, 'case_state');
  assertProblem(await postMessage({ seq: 1, text: 'in plain' }), 422, 'validation_failed');
  assert.deepEqual((await getCaseDetail(id)).messages, { buyer: 1, desk: 0 });
});

test('cases are listed newest first, in pages with a link to the next', async () => {
  const busy = await testbed.createAgent();
  const ids = [];
  for (let count = 0; count < 3; count += 1) ids.unshift((await openAgentCase(testbed, busy)).id);
  const seen: string[] = [];
  let path = '/cases?limit=2';
  for (;;) {
    const { json, headers } = await busy.request('GET', path);
    seen.push(...(json['cases'] as { id: string }[]).map(({ id }) => id));
    const link = /^<(https:[^>]+)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1];
    assert.equal(link !== undefined, json['next'] !== undefined);
    if (link === undefined) break;
    path = `/cases${new URL(link).search}`;
  }
  assert.deepEqual(seen, ids);
});

test('a case is withdrawn only as it was read, if the request says so (RFC 9110 §13.1.1)', async () => {
  const { id, form } = await openAgentCase(testbed, agent);
  const withdraw = (condition: string) =>
    agent.request('DELETE', `/cases/${id}`, undefined, { 'if-match': condition });
  const readEtag = async () => String((await agent.request('GET', `/cases/${id}`)).headers.etag);
  const received = await readEtag();
  await addSealedMessage(testbed.services, { id, key: form.key }, { by: 'desk', seq: 0, act: 'ask' });
  const asked = await readEtag();
  for (const condition of [received, `W/${asked}`, '"other"', asked.slice(1, -1), ''])
    assertProblem(await withdraw(condition), 412, 'precondition_failed');
  assert.equal((await agent.request('GET', `/cases/${id}`)).json['state'], 'awaiting_client');
  const first = await withdraw(`"other", ${asked}`);
  assert.deepEqual([first.status, first.json['state']], [200, 'withdrawn']);
  // A repeated request returns the first result.
  assert.deepEqual((await withdraw(asked)).json, first.json);
  const another = await openAgentCase(testbed, agent);
  const any = await agent.request('DELETE', `/cases/${another.id}`, undefined, { 'if-match': '*' });
  assert.equal(any.json['state'], 'withdrawn');
});

test('retention can be extended and reset, and withdrawing twice has the effect of once', async () => {
  const { id } = await openAgentCase(testbed, agent);
  for (const days of [365, 30]) {
    const { json } = await agent.request('PUT', `/cases/${id}/retention`, { keep_days: days });
    assert.equal(json['keep_days'], days);
  }
  assertProblem(
    await agent.request('PUT', `/cases/${id}/retention`, { keep_days: 31 }),
    422,
    'validation_failed',
  );
  const [first, second] = [
    await agent.request('DELETE', `/cases/${id}`),
    await agent.request('DELETE', `/cases/${id}`),
  ];
  assert.deepEqual([first.status, first.json['state']], [200, 'withdrawn']);
  assert.equal(second.json['purge_at'], first.json['purge_at']);
  assertProblem(await agent.request('PUT', `/cases/${id}/retention`, { keep_days: 90 }), 409, 'case_state');
});

test('a purged case is gone for everyone, and so is its idempotency key', async () => {
  const { orderId } = await agent.buy();
  const body = { order_id: orderId, plain: { inquiry: samplePlainInquiry } };
  const answer = await agent.submit(body, { 'idempotency-key': 'one-purged-case' });
  const id = String(answer.json['id']);
  await agent.request('DELETE', `/cases/${id}`);
  const listIdempotencyKeys = () =>
    testbed.store.records.selectFrom('idempotency').where('record_id', '=', id).selectAll().execute();
  assert.equal((await listIdempotencyKeys()).length, 1);
  await purgeCaseNow(testbed.services, id);
  assert.deepEqual(await listIdempotencyKeys(), []);
  assert.equal((await agent.request('GET', `/cases/${id}`)).json['code'], 'case_unknown');
});
