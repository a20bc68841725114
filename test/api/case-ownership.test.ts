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

const agency = await openApiTestbed({ after });
const { office } = agency;

async function createAgentForUser(who: ClientCredentials, address: string): Promise<ApiAgent> {
  const { access_token } = await office.tokensFor(who, { address });
  return agency.agentWith(who, `Bearer ${access_token}`);
}

async function createAgentByWords(who: ClientCredentials, words: string): Promise<ApiAgent> {
  const browser = office.browser();
  await browser.open(office.authorizeUrl(who.clientId));
  await browser.send('words', { words });
  await browser.send('consent');
  const code = browser.awayTo()?.searchParams.get('code') ?? '';
  const { json, text } = await office.token(who, buildCodeGrantForm(code));
  assert.ok(typeof json['access_token'] === 'string', text);
  return agency.agentWith(who, `Bearer ${json['access_token']}`);
}

async function listVisibleCases(agent: ApiAgent): Promise<string[]> {
  const { json, text } = await agent.ask('GET', '/cases');
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
    await agent.ask('GET', `/cases/${id}`),
    await agent.ask('GET', `/cases/${id}/messages`),
    await agent.ask('GET', `/cases/${id}/files/${file}`),
    await agent.ask('POST', `/cases/${id}/messages`, message),
    await agent.ask('PUT', `/cases/${id}/retention`, { keep_days: 90 }),
    await agent.ask('DELETE', `/cases/${id}`),
  ];
  return answers.map(({ status, text }) => `${status} ${text.replace(/"request_id":"[^"]*"/, '')}`);
}

test('another client gets the same response for a case as for one that never existed, whatever it tries', async () => {
  const mine = await agency.agent();
  const stranger = await agency.agent();
  const { id, form } = await openAgentCase(agency, mine);
  const { json } = await mine.ask('GET', `/cases/${id}`);
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
  const untouched = await mine.ask('GET', `/cases/${id}`);
  assert.deepEqual(untouched.json, json);
});

test('a case submitted for a user is visible through every client of that user', async () => {
  const [one, other] = [await office.client(), await office.client()];
  const ann = await createAgentForUser(one, 'ann@example.com');
  const { id } = await openAgentCase(agency, ann);
  assert.deepEqual(await listVisibleCases(await createAgentForUser(other, 'ann@example.com')), [id]);
  assert.deepEqual(await listVisibleCases(await createAgentForUser(other, 'bob@example.com')), []);
});

test('whoever signs in with the words of a case sees that case and no other', async () => {
  const form = await openPaidForm(agency);
  assert.equal((await sendPlainForm(agency, form)).status, 200);
  await openAgentCase(agency, await agency.agent());
  const byWords = await createAgentByWords(await office.client(), form.words);
  const [id, ...others] = await listVisibleCases(byWords);
  assert.ok(id);
  assert.deepEqual(others, []);
  assert.equal((await byWords.ask('GET', `/cases/${id}`)).json['sealed_by'], 'server');
  assert.equal((await byWords.ask('DELETE', `/cases/${id}`)).json['state'], 'withdrawn');
});

test('a purged case is gone for everyone, and so is its idempotency key', async () => {
  const mine = await agency.agent();
  const { orderId } = await mine.buy();
  const body = { order_id: orderId, plain: { inquiry: samplePlainInquiry } };
  const answer = await mine.submit(body, { 'idempotency-key': 'one' });
  const id = String(answer.json['id']);
  await mine.ask('DELETE', `/cases/${id}`);
  const listIdempotencyKeys = () =>
    agency.store.records.selectFrom('idempotency').where('record_id', '=', id).selectAll().execute();
  assert.equal((await listIdempotencyKeys()).length, 1);
  await purgeCaseNow(agency.services, id);
  assert.deepEqual(await listIdempotencyKeys(), []);
  assert.deepEqual(await listVisibleCases(mine), []);
  assert.equal((await mine.ask('GET', `/cases/${id}`)).json['code'], 'case_unknown');
});

test('a case that matches several owner tags is listed once', async () => {
  const who = await office.client();
  const ann = await createAgentForUser(who, 'carol@example.com');
  const { id, form } = await openAgentCase(agency, ann);
  assert.deepEqual(await listVisibleCases(ann), [id]);
  assert.deepEqual(await listVisibleCases(await createAgentByWords(who, form.words)), [id]);
});
