/** Investigators sign in with their key: a challenge valid once, for a minute, then a session bound to a key. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { DESK_CHALLENGE_BYTES } from '#seal/core/desk-challenge.ts';
import { hashTokenValue } from '#store/clients/tokens.ts';
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

function assertRefusal(answer: HttpsResponse, expected: [status: number, code: string]): void {
  assert.deepEqual([answer.status, answer.json['code']], expected, answer.text);
  assert.equal(answer.headers['cache-control'], 'no-store');
  if (answer.status === 401) assert.match(String(answer.headers['www-authenticate']), /^DPoP algs="/);
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
        assert.ok(
          !JSON.stringify(row).includes(String(nonce)) && !JSON.stringify(row).includes(desk.session.token),
        );
  });

const office = await buildDeskApp(cleanUp, { ana: 'owner', ben: 'investigator' });
const proofKey = await generateProofKey();
const { records } = office.store;

async function prepareAnswer(key = office.keys.ana) {
  const { json } = await requestChallenge(office, key);
  return { id: json['id'], nonce: (await openChallenge(key, json['sealed']))['nonce'] };
}

test('a challenge is good once, also for two who answer at the same moment', async () => {
  const answer = await prepareAnswer();
  const both = await Promise.all([
    answerChallenge(office, answer, proofKey),
    answerChallenge(office, answer, proofKey),
  ]);
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 401],
  );
  assertRefusal(await answerChallenge(office, answer, proofKey), [401, 'sign_in_refused']);
});

test('a wrong nonce ends its challenge, and a foreign or unknown one is refused', async () => {
  const [one, other] = [await prepareAnswer(), await prepareAnswer(office.keys.ben)];
  const refused: [number, string] = [401, 'sign_in_refused'];
  assertRefusal(await answerChallenge(office, { id: one.id, nonce: other.nonce }, proofKey), refused);
  assertRefusal(await answerChallenge(office, one, proofKey), refused);
  assertRefusal(await answerChallenge(office, { ...other, id: 'q1Zl7yBq3mJx0c2y8l4QxA' }, proofKey), refused);
  assert.equal((await answerChallenge(office, other, proofKey)).status, 201);
});

test('a challenge that is a minute old is refused', async () => {
  const answer = await prepareAnswer();
  await records
    .updateTable('desk_challenges')
    .set({ expires_at: Date.now() - 1 })
    .where('id', '=', String(answer.id))
    .execute();
  assertRefusal(await answerChallenge(office, answer, proofKey), [401, 'sign_in_refused']);
});

test('an unknown key gets a challenge like any other, and no session', async () => {
  const stranger = await generateDeskKey();
  const [known, unknown] = [
    await requestChallenge(office, office.keys.ana),
    await requestChallenge(office, stranger),
  ];
  assert.equal(unknown.status, known.status);
  assert.deepEqual(Object.keys(unknown.json), Object.keys(known.json));
  assert.equal(unknown.text.length, known.text.length);
  const { nonce } = await openChallenge(stranger, unknown.json['sealed']);
  assertRefusal(await answerChallenge(office, { id: unknown.json['id'], nonce }, proofKey), [
    401,
    'sign_in_refused',
  ]);
  await assert.rejects(openChallenge(stranger, known.json['sealed']));
});

test('an answer needs a proof for this very request, which is good once', async () => {
  const answer = await prepareAnswer();
  const htu = `${office.services.addresses.api}/desk/sessions`;
  const send = async (dpop: string | null) =>
    await office.get('/api/desk/sessions', {
      method: 'POST',
      headers: { ...JSON_TYPE, ...(dpop === null ? {} : { dpop }) },
      body: JSON.stringify(answer),
    });
  const claims = { htm: 'POST', htu };
  for (const dpop of [
    null,
    '',
    'x',
    await proofKey.createProof({ ...claims, htm: 'GET' }),
    await proofKey.createProof({ ...claims, htu: `${office.services.addresses.api}/desk/challenges` }),
    await proofKey.createProof({ ...claims, htu: 'https://evil.example/api/desk/sessions' }),
    await proofKey.createProof({ ...claims, typ: 'jwt' }),
    await proofKey.createProof({ ...claims, iat: Math.floor(Date.now() / 1_000) - 600 }),
    await proofKey.createProof({ ...claims, jti: '' }),
    await proofKey.createProof({ ...claims, token: 'a proof for a token' }),
  ])
    assertRefusal(await send(dpop), [401, 'invalid_dpop_proof']);
  const good = await proofKey.createProof(claims);
  assert.equal((await send(good)).status, 201, 'a refused proof does not spend the challenge');
  const next = await prepareAnswer();
  const replayed = await office.get('/api/desk/sessions', {
    method: 'POST',
    headers: { ...JSON_TYPE, dpop: good },
    body: JSON.stringify(next),
  });
  assertRefusal(replayed, [401, 'invalid_dpop_proof']);
});

test('a token is worth nothing without a fresh proof of its own key, with another scheme or in the address', async () => {
  const desk = await signInAtDesk(office, office.keys.ana);
  const { token } = desk.session;
  const htu = `${office.services.addresses.api}/desk`;
  const proof = await desk.proofKey.createProof({ htm: 'GET', htu, token });
  const send = async (headers: Record<string, string>, query = '') =>
    await office.get(`/api/desk${query}`, { headers });
  assertRefusal(await send({}), [401, 'unauthorized']);
  assertRefusal(await send({ authorization: `DPoP ${token}` }), [401, 'invalid_dpop_proof']);
  assertRefusal(await send({ authorization: `Bearer ${token}`, dpop: proof }), [401, 'invalid_token']);
  assertRefusal(await send({ authorization: `Basic ${token}`, dpop: proof }), [401, 'unauthorized']);
  assertRefusal(await send({ authorization: `DPoP ${token}x`, dpop: proof }), [401, 'invalid_token']);
  assertRefusal(await send({ authorization: `DPoP ${hashTokenValue(token)}`, dpop: proof }), [
    401,
    'invalid_token',
  ]);
  assertRefusal(await send({ dpop: proof }, `?access_token=${token}`), [400, 'token_in_query']);
  const foreign = await (await generateProofKey()).createProof({ htm: 'GET', htu, token });
  assertRefusal(await send({ authorization: `DPoP ${token}`, dpop: foreign }), [401, 'invalid_dpop_proof']);
  const unbound = await desk.proofKey.createProof({ htm: 'GET', htu });
  assertRefusal(await send({ authorization: `DPoP ${token}`, dpop: unbound }), [401, 'invalid_dpop_proof']);
  assert.equal((await send({ authorization: `DPoP ${token}`, dpop: proof })).status, 200);
  assertRefusal(await send({ authorization: `DPoP ${token}`, dpop: proof }), [401, 'invalid_dpop_proof']);
});

test('a request in absolute form is refused like one with a foreign proof', async () => {
  const desk = await signInAtDesk(office, office.keys.ana);
  const { token } = desk.session;
  const dpop = await desk.proofKey.createProof({
    htm: 'GET',
    htu: `${office.services.addresses.api}/desk`,
    token,
  });
  const headers = { host: `localhost:${office.port}`, authorization: `DPoP ${token}`, dpop };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const target = `https://localhost:${office.port}/api/desk`;
  const answer = await exchangeRawBytes(
    office.port,
    'tls',
    `GET ${target} HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1\.1 401 .*invalid_dpop_proof/s);
});

test('a session ends after twelve hours', async () => {
  const desk = await signInAtDesk(office, office.keys.ana);
  await records
    .updateTable('desk_sessions')
    .set({ expires_at: Date.now() - 1 })
    .where('id', '=', hashTokenValue(desk.session.token))
    .execute();
  assertRefusal(await desk.send(''), [401, 'invalid_token']);
});

test('an agent’s token opens nothing here, and a session nothing of the API', async () => {
  const desk = await signInAtDesk(office, office.keys.ana);
  const htu = `${office.services.addresses.api}/cases`;
  const dpop = await desk.proofKey.createProof({ htm: 'GET', htu, token: desk.session.token });
  const answer = await office.get('/api/cases', {
    headers: { authorization: `DPoP ${desk.session.token}`, dpop },
  });
  assert.deepEqual([answer.status, answer.json['code']], [401, 'invalid_token']);
});

test('who has left the configuration, or the keys that cases are sealed to, is out at once', async (t) => {
  const first = await buildDeskApp(t, { ana: 'owner', ben: 'investigator' });
  const desk = await signInAtDesk(first, first.keys.ben);
  const members = await first.store.records
    .selectFrom('recipient_set')
    .select('members')
    .executeTakeFirstOrThrow();
  const left = (JSON.parse(members.members) as { name: string }[]).filter(({ name }) => name !== 'ben');
  await first.store.records
    .updateTable('recipient_set')
    .set({ tag: 'another', members: JSON.stringify(left) })
    .execute();
  assertRefusal(await desk.send(''), [401, 'invalid_token']);
  const other = await buildTestApp(t, { env: { DESK_RECIPIENTS: first.keys.ana.recipient } });
  const { jkt } = await first.store.records.selectFrom('desk_sessions').selectAll().executeTakeFirstOrThrow();
  await other.store.records
    .insertInto('desk_sessions')
    .values({
      id: hashTokenValue('a token'),
      investigator: desk.session.holder,
      jkt,
      expires_at: Date.now() + HOUR_MS,
    })
    .execute();
  const dpop = await desk.proofKey.createProof({
    htm: 'GET',
    htu: `${other.services.addresses.api}/desk`,
    token: 'a token',
  });
  assertRefusal(await other.get('/api/desk', { headers: { authorization: 'DPoP a token', dpop } }), [
    401,
    'invalid_token',
  ]);
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
    const answer = await office.get(`/api/desk/${path}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 422, `${path} ${JSON.stringify(body).slice(0, 60)} ${answer.text}`);
  }
});
