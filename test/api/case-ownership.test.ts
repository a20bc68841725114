/** Who can see a case: the client or person that sent it and a person signed in with its words, no one else. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { openPaidForm, sendPlainForm } from '#test/cases/plain-form.ts';
import { encodeBase64url, openAgentCase, openApiTestbed, samplePlainInquiry } from './api-testbed.ts';
import { createAgentByWords, createAgentForAddress, listVisibleCases, tryCaseOperations } from './people.ts';

const testbed = await openApiTestbed({ after });
const { oauth } = testbed;

test('another client gets the same response for a case as for one that never existed, whatever it tries', async () => {
  const owner = await testbed.createAgent();
  const stranger = await testbed.createAgent();
  const { id, form } = await openAgentCase(testbed, owner);
  const { json } = await owner.request('GET', `/cases/${id}`);
  const [file] = json['files'] as { id: string }[];
  const sealed = await sealEnvelope(
    form.key,
    { kind: 'buyer-message.v1', seq: 0 },
    { text: 'x', call_windows: [] },
  );
  const message = { seq: 0, sealed: encodeBase64url(sealed) };
  const foreign = await tryCaseOperations(stranger, { id, file: file?.id ?? '' }, message);
  const unknown = await tryCaseOperations(stranger, { id: 'A'.repeat(22), file: 'B'.repeat(22) }, message);
  assert.deepEqual(foreign, unknown);
  assert.deepEqual(new Set(foreign.map((answer) => answer.slice(0, 3))), new Set(['404']));
  assert.deepEqual(await listVisibleCases(stranger), []);
  const untouched = await owner.request('GET', `/cases/${id}`);
  assert.deepEqual(untouched.json, json);
});

test('a person who signs in with the words of a case sees that case and no other', async () => {
  const form = await openPaidForm(testbed);
  assert.equal((await sendPlainForm(testbed, form)).status, 200);
  await openAgentCase(testbed, await testbed.createAgent());
  const byWords = await createAgentByWords(testbed, await oauth.createClient(), form.words);
  const [id, ...others] = await listVisibleCases(byWords);
  assert.ok(id);
  assert.deepEqual(others, []);
  assert.equal((await byWords.request('GET', `/cases/${id}`)).json['sealed_by'], 'server');
  assert.equal((await byWords.request('DELETE', `/cases/${id}`)).json['state'], 'withdrawn');
});

test('a purged case is gone for everyone, and so is its idempotency key', async () => {
  const owner = await testbed.createAgent();
  const { orderId } = await owner.buy();
  const body = { order_id: orderId, plain: { inquiry: samplePlainInquiry } };
  const answer = await owner.submit(body, { 'idempotency-key': 'one' });
  const id = String(answer.json['id']);
  await owner.request('DELETE', `/cases/${id}`);
  const listIdempotencyKeys = () =>
    testbed.store.records.selectFrom('idempotency').where('record_id', '=', id).selectAll().execute();
  assert.equal((await listIdempotencyKeys()).length, 1);
  await purgeCaseNow(testbed.services, id);
  assert.deepEqual(await listIdempotencyKeys(), []);
  assert.deepEqual(await listVisibleCases(owner), []);
  assert.equal((await owner.request('GET', `/cases/${id}`)).json['code'], 'case_unknown');
});

test('a case is listed for its person, and for a person who signs in with its words', async () => {
  const client = await oauth.createClient();
  const userAgent = await createAgentForAddress(testbed, client, 'carol@example.com');
  const { id, form } = await openAgentCase(testbed, userAgent);
  assert.deepEqual(await listVisibleCases(userAgent), [id]);
  assert.deepEqual(await listVisibleCases(await createAgentByWords(testbed, client, form.words)), [id]);
});
