/** Who can see a case: its client, its user, whoever signed in with its words, and nobody else. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { purgeCaseNow } from '#cases/purge.ts';
import type { ClientCredentials } from '#clients/clients.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { openPaidForm, sendPlainForm } from '#test/cases/plain-form.ts';
import { buildCodeGrantForm } from '#test/oauth/oauth-test-app.ts';
import {
  type ApiAgent,
  encodeBase64url,
  openAgentCase,
  openApiTestbed,
  samplePlainInquiry,
} from './api-testbed.ts';

const testbed = await openApiTestbed({ after });
const { oauth } = testbed;

async function createAgentForUser(client: ClientCredentials, address: string): Promise<ApiAgent> {
  const { access_token } = await oauth.obtainTokens(client, { address });
  return testbed.createAgentWithToken(client, `Bearer ${access_token}`);
}

async function createAgentByWords(client: ClientCredentials, words: string): Promise<ApiAgent> {
  const browser = oauth.openBrowser();
  await browser.open(oauth.buildAuthorizeUrl(client.clientId));
  await browser.submitForm('words', { words });
  await browser.submitForm('consent');
  const code = browser.getExternalRedirect()?.searchParams.get('code') ?? '';
  const { json, text } = await oauth.requestToken(client, buildCodeGrantForm(code));
  assert.ok(typeof json['access_token'] === 'string', text);
  return testbed.createAgentWithToken(client, `Bearer ${json['access_token']}`);
}

async function listVisibleCases(agent: ApiAgent): Promise<string[]> {
  const { json, text } = await agent.request('GET', '/cases');
  assert.ok(json['cases'], text);
  return (json['cases'] as { id: string }[]).map(({ id }) => id);
}

/** Tries every operation on a case; returns the responses. */
async function tryEveryOperation(
  agent: ApiAgent,
  id: string,
  file: string,
  message: object,
): Promise<string[]> {
  const answers = [
    await agent.request('GET', `/cases/${id}`),
    await agent.request('GET', `/cases/${id}/messages`),
    await agent.request('GET', `/cases/${id}/files/${file}`),
    await agent.request('POST', `/cases/${id}/messages`, message),
    await agent.request('PUT', `/cases/${id}/retention`, { keep_days: 90 }),
    await agent.request('DELETE', `/cases/${id}`),
  ];
  return answers.map(({ status, text }) => `${status} ${text.replace(/"request_id":"[^"]*"/, '')}`);
}

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
  const foreign = await tryEveryOperation(stranger, id, file?.id ?? '', message);
  const unknown = await tryEveryOperation(stranger, 'A'.repeat(22), 'B'.repeat(22), message);
  assert.deepEqual(foreign, unknown);
  assert.deepEqual(new Set(foreign.map((answer) => answer.slice(0, 3))), new Set(['404']));
  assert.deepEqual(await listVisibleCases(stranger), []);
  const untouched = await owner.request('GET', `/cases/${id}`);
  assert.deepEqual(untouched.json, json);
});

test('a case submitted for a user is visible through every client of that user', async () => {
  const [one, other] = [await oauth.createClient(), await oauth.createClient()];
  const userAgent = await createAgentForUser(one, 'ann@example.com');
  const { id } = await openAgentCase(testbed, userAgent);
  assert.deepEqual(await listVisibleCases(await createAgentForUser(other, 'ann@example.com')), [id]);
  assert.deepEqual(await listVisibleCases(await createAgentForUser(other, 'bob@example.com')), []);
});

test('whoever signs in with the words of a case sees that case and no other', async () => {
  const form = await openPaidForm(testbed);
  assert.equal((await sendPlainForm(testbed, form)).status, 200);
  await openAgentCase(testbed, await testbed.createAgent());
  const byWords = await createAgentByWords(await oauth.createClient(), form.words);
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

test('a case that matches several owner tags is listed once', async () => {
  const client = await oauth.createClient();
  const userAgent = await createAgentForUser(client, 'carol@example.com');
  const { id, form } = await openAgentCase(testbed, userAgent);
  assert.deepEqual(await listVisibleCases(userAgent), [id]);
  assert.deepEqual(await listVisibleCases(await createAgentByWords(client, form.words)), [id]);
});
