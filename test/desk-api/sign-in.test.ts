/** Investigators sign in with their key: a challenge valid once, for a minute, then a session bound to a key. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { DESK_CHALLENGE_BYTES } from '#seal/core/desk-challenge.ts';
import { hashTokenValue } from '#store/clients/tokens.ts';
import { findRecipientSet } from '#store/keys/recipient-set.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { generateProofKey } from '#test/oauth/dpop-proof.ts';
import { exchangeRawBytes } from '#test/raw-connection.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { buildTestApp } from '#test/test-app.ts';
import {
  answerChallenge,
  buildDeskApp,
  generateDeskKey,
  JSON_TYPE,
  loadOnlyDeskKey,
  openChallenge,
  openChallengeText,
  requestChallenge,
  signInAtDesk,
} from './desk-client.ts';

const cleanUp = withReverseCleanup({ after });

function assertRefusal(
  { status, json, text, headers }: HttpsResponse,
  expected: readonly [status: number, code: string],
): void {
  assert.deepEqual([status, json['code']], expected, text);
  assert.equal(headers['cache-control'], 'no-store');
  if (status === 401) assert.match(String(headers['www-authenticate']), /^DPoP algs="/);
}

for (const [engine, env] of Object.entries(await listEngineVariables(cleanUp)))
  test(`an investigator signs in, works and signs out, on ${engine}`, async (t) => {
    const people = { ana: 'owner', ben: 'investigator' } as const;
    const office = await buildDeskApp(t, people, { env });
    const challenge = await requestChallenge(office, office.keys.ben);
    assert.equal(challenge.status, 201, challenge.text);
    const text = await openChallengeText(office.keys.ben, challenge.json['sealed']);
    assert.equal(text.length, DESK_CHALLENGE_BYTES);
    const { nonce, expires, ...rest } = await openChallenge(office.keys.ben, challenge.json['sealed']);
    assert.deepEqual(rest, { v: 1, kind: 'desk-challenge', origin: office.services.addresses.site });
    assert.match(String(nonce), /^[\w-]{43}$/);
    assert.ok(Math.abs(Number(expires) - Date.now() - MINUTE_MS) < 10_000);
    const desk = await signInAtDesk(office, office.keys.ben);
    const { holder, people: listed, office: about, expires_at: until } = desk.session;
    assert.deepEqual(
      listed.map((person) => [person.name, person.role, person.recipient]),
      [
        ['ana', 'owner', office.keys.ana.recipient],
        ['ben', 'investigator', office.keys.ben.recipient],
      ],
    );
    assert.equal(holder, listed[1]?.holder);
    assert.equal(about.test, true);
    assert.ok(Math.abs(Date.parse(until) - Date.now() - 12 * HOUR_MS) < 10_000);
    const { operations } = (await desk.send('')).json as { operations: string[] };
    assert.ok(operations.includes('DELETE /api/desk/sessions'));
    assert.equal((await desk.send('/sessions', { method: 'DELETE' })).status, 204);
    assertRefusal(await desk.send(''), [401, 'invalid_token']);
    const { records } = office.store;
    assert.deepEqual(await records.selectFrom('desk_sessions').selectAll().execute(), []);
    assert.equal((await records.selectFrom('desk_challenges').selectAll().execute()).length, 1);
    for (const table of ['desk_sessions', 'desk_challenges', 'tokens'] as const)
      for (const row of await records.selectFrom(table).selectAll().execute())
        for (const secret of [String(nonce), desk.session.token])
          assert.ok(!JSON.stringify(row).includes(secret));
  });

const office = await buildDeskApp(cleanUp, { ana: 'owner', ben: 'investigator' });
const proofKey = await generateProofKey();
const { records } = office.store;
const DESK_URL = `${office.services.addresses.api}/desk`;
const REFUSED = [401, 'sign_in_refused'] as const;
const NO_PROOF = [401, 'invalid_dpop_proof'] as const;
const NO_TOKEN = [401, 'invalid_token'] as const;

const answer = (given: Awaited<ReturnType<typeof prepareAnswer>>) => answerChallenge(office, given, proofKey);

const postAnswer = async (given: object, dpop: string | null) =>
  await office.get('/api/desk/sessions', {
    method: 'POST',
    headers: { ...JSON_TYPE, ...(dpop === null ? {} : { dpop }) },
    body: JSON.stringify(given),
  });

async function prepareAnswer(key = office.keys.ana) {
  const { json } = await requestChallenge(office, key);
  return { id: json['id'], nonce: (await openChallenge(key, json['sealed']))['nonce'] };
}

test('a challenge is good once, also for two who answer at the same moment', async () => {
  const given = await prepareAnswer();
  const both = await Promise.all([answer(given), answer(given)]);
  assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([201, 401]));
  assertRefusal(await answer(given), REFUSED);
});

test('a wrong nonce ends its challenge, and a foreign or unknown one is refused', async () => {
  const [one, other] = [await prepareAnswer(), await prepareAnswer(office.keys.ben)];
  assertRefusal(await answer({ id: one.id, nonce: other.nonce }), REFUSED);
  assertRefusal(await answer(one), REFUSED);
  assertRefusal(await answer({ ...other, id: 'q1Zl7yBq3mJx0c2y8l4QxA' }), REFUSED);
  assert.equal((await answer(other)).status, 201);
});

test('a challenge that is a minute old is refused', async () => {
  const given = await prepareAnswer();
  const challenge = records.updateTable('desk_challenges').where('id', '=', String(given.id));
  await challenge.set({ expires_at: Date.now() - 1 }).execute();
  assertRefusal(await answer(given), REFUSED);
});

test('an unknown key gets a challenge like any other, and no session', async () => {
  const stranger = await generateDeskKey();
  const known = await requestChallenge(office, office.keys.ana);
  const unknown = await requestChallenge(office, stranger);
  assert.equal(unknown.status, known.status);
  assert.deepEqual(Object.keys(unknown.json), Object.keys(known.json));
  assert.equal(unknown.text.length, known.text.length);
  const { nonce } = await openChallenge(stranger, unknown.json['sealed']);
  assertRefusal(await answer({ id: unknown.json['id'], nonce }), REFUSED);
  await assert.rejects(openChallenge(stranger, known.json['sealed']));
});

test('an answer needs a proof for this very request, which is good once', async () => {
  const given = await prepareAnswer();
  const claims = { htm: 'POST', htu: `${DESK_URL}/sessions` };
  for (const dpop of [
    null,
    '',
    'x',
    await proofKey.createProof({ ...claims, htm: 'GET' }),
    await proofKey.createProof({ ...claims, htu: `${DESK_URL}/challenges` }),
    await proofKey.createProof({ ...claims, htu: 'https://evil.example/api/desk/sessions' }),
    await proofKey.createProof({ ...claims, typ: 'jwt' }),
    await proofKey.createProof({ ...claims, iat: Math.floor(Date.now() / 1_000) - 600 }),
    await proofKey.createProof({ ...claims, jti: '' }),
    await proofKey.createProof({ ...claims, token: 'a proof for a token' }),
  ])
    assertRefusal(await postAnswer(given, dpop), NO_PROOF);
  const good = await proofKey.createProof(claims);
  assert.equal((await postAnswer(given, good)).status, 201, 'a refused proof does not spend the challenge');
  assertRefusal(await postAnswer(await prepareAnswer(), good), NO_PROOF);
});

test('a token is worth nothing without a fresh proof of its own key, with another scheme or in the address', async () => {
  const desk = await signInAtDesk(office, office.keys.ana);
  const { token } = desk.session;
  const claims = { htm: 'GET', htu: DESK_URL };
  const proof = await desk.proofKey.createProof({ ...claims, token });
  const foreign = await (await generateProofKey()).createProof({ ...claims, token });
  const unbound = await desk.proofKey.createProof(claims);
  const send = async (headers: Record<string, string>, query = '') =>
    await office.get(`/api/desk${query}`, { headers });
  const authorization = `DPoP ${token}`;
  for (const [headers, expected] of [
    [{}, [401, 'unauthorized']],
    [{ authorization }, NO_PROOF],
    [{ authorization: `Bearer ${token}`, dpop: proof }, NO_TOKEN],
    [{ authorization: `Basic ${token}`, dpop: proof }, [401, 'unauthorized']],
    [{ authorization: `DPoP ${token}x`, dpop: proof }, NO_TOKEN],
    [{ authorization: `DPoP ${hashTokenValue(token)}`, dpop: proof }, NO_TOKEN],
    [{ authorization, dpop: foreign }, NO_PROOF],
    [{ authorization, dpop: unbound }, NO_PROOF],
  ] as const)
    assertRefusal(await send(headers), expected);
  assertRefusal(await send({ dpop: proof }, `?access_token=${token}`), [400, 'token_in_query']);
  assert.equal((await send({ authorization, dpop: proof })).status, 200);
  assertRefusal(await send({ authorization, dpop: proof }), NO_PROOF);
});

test('a request in absolute form is refused like one with a foreign proof', async () => {
  const desk = await signInAtDesk(office, office.keys.ana);
  const { token } = desk.session;
  const dpop = await desk.proofKey.createProof({ htm: 'GET', htu: DESK_URL, token });
  const headers = { host: `localhost:${office.port}`, authorization: `DPoP ${token}`, dpop };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const target = `https://localhost:${office.port}/api/desk`;
  const request = `GET ${target} HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n`;
  const exchanged = await exchangeRawBytes(office.port, 'tls', request);
  assert.match(exchanged, /^HTTP\/1\.1 401 .*invalid_dpop_proof/s);
});

test('a session ends after twelve hours', async () => {
  const desk = await signInAtDesk(office, office.keys.ana);
  const session = records.updateTable('desk_sessions').where('id', '=', hashTokenValue(desk.session.token));
  await session.set({ expires_at: Date.now() - 1 }).execute();
  assertRefusal(await desk.send(''), NO_TOKEN);
});

test('an agent’s token opens nothing here, and a session nothing of the API', async () => {
  const desk = await signInAtDesk(office, office.keys.ana);
  const htu = `${office.services.addresses.api}/cases`;
  const { token } = desk.session;
  const dpop = await desk.proofKey.createProof({ htm: 'GET', htu, token });
  const { status, json } = await office.get('/api/cases', {
    headers: { authorization: `DPoP ${token}`, dpop },
  });
  assert.deepEqual([status, json['code']], NO_TOKEN);
});

test('who has left the configuration, or the keys that cases are sealed to, is out at once', async (t) => {
  const first = await buildDeskApp(t, { ana: 'owner', ben: 'investigator' });
  const desk = await signInAtDesk(first, first.keys.ben);
  const set = await findRecipientSet(first.store.records);
  const members = JSON.parse(set?.members ?? '') as { name: string }[];
  const left = JSON.stringify(members.filter(({ name }) => name !== 'ben'));
  await first.store.records.updateTable('recipient_set').set({ tag: 'another', members: left }).execute();
  assertRefusal(await desk.send(''), NO_TOKEN);
  const other = await buildTestApp(t, { env: { DESK_RECIPIENTS: first.keys.ana.recipient } });
  const { jkt } = await first.store.records.selectFrom('desk_sessions').selectAll().executeTakeFirstOrThrow();
  const token = 'a token';
  const row = { id: hashTokenValue(token), jkt, expires_at: Date.now() + HOUR_MS };
  await other.store.records
    .insertInto('desk_sessions')
    .values({ ...row, investigator: desk.session.holder })
    .execute();
  const htu = `${other.services.addresses.api}/desk`;
  const dpop = await desk.proofKey.createProof({ htm: 'GET', htu, token });
  const answered = await other.get('/api/desk', { headers: { authorization: `DPoP ${token}`, dpop } });
  assertRefusal(answered, NO_TOKEN);
});

test('a key without a name is an owner’s, and sixty challenges a minute are given to one address', async (t) => {
  const limited = await buildTestApp(t, { env: { RATE_LIMIT: 'on' } });
  const key = await loadOnlyDeskKey(limited.dataDir);
  const { people } = (await signInAtDesk(limited, key)).session;
  assert.deepEqual(
    people.map(({ name, role }) => [name, role]),
    [[null, 'owner']],
  );
  for (let sent = 1; sent < 60; sent += 1) assert.equal((await requestChallenge(limited, key)).status, 201);
  assert.equal((await requestChallenge(limited, key)).status, 429);
  assert.equal((await requestChallenge(limited, key, '127.0.0.2')).status, 201, 'another address');
});

test('what is not a challenge request or an answer is refused as such', async () => {
  const { recipient } = office.keys.ana;
  const damaged = `${recipient.slice(0, -1)}${recipient.endsWith('q') ? 'p' : 'q'}`;
  for (const [path, body] of [
    ['challenges', {}],
    ['challenges', []],
    ['challenges', { recipient: 1 }],
    ['challenges', { recipient: damaged }],
    ['challenges', { recipient: recipient.toUpperCase() }],
    ['challenges', { recipient, more: 1 }],
    ['challenges', { recipient: `${recipient}\n` }],
    ['sessions', {}],
    ['sessions', { id: 'x', nonce: 'y' }],
    ['sessions', { id: 'q1Zl7yBq3mJx0c2y8l4QxA', nonce: 'A'.repeat(44) }],
    ['sessions', { id: 'q1Zl7yBq3mJx0c2y8l4QxA', nonce: 'A'.repeat(43), more: 1 }],
  ] as const) {
    const sent = JSON.stringify(body);
    const { status } = await office.get(`/api/desk/${path}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: sent,
    });
    assert.equal(status, 422, `${path} ${sent.slice(0, 60)}`);
  }
});
