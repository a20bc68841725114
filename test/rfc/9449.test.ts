/** RFC 9449: DPoP at the token endpoint and at every protected operation. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { deleteExpiredRows } from '#store/due-work.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { generateProofKey, type ProofKey } from '#test/oauth/dpop-proof.ts';
import {
  assertOAuthRefusal,
  buildCodeGrantForm,
  buildRefreshGrantForm,
  clientCredentialsForm,
} from '#test/oauth/oauth-test-app.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const { origin } = testApp;
const agent = await testApp.createClient();
const strict = await testApp.createClient({ credentials: 'dpop' });
const key = await generateProofKey();
const endpoint = { htm: 'POST', htu: `${origin}/oauth2/token` };
const operation = { htm: 'GET', htu: `${origin}/api/orders` };
const getUnixSeconds = () => Math.floor(Date.now() / 1_000);

async function requestBoundToken({ createProof }: ProofKey = key): Promise<string> {
  const { json } = await testApp.requestToken(agent, clientCredentialsForm, {
    dpop: await createProof(endpoint),
  });
  assert.equal(json['token_type'], 'DPoP');
  return String(json['access_token']);
}

test('a client that sends a proof gets a bound token, and is never asked for a nonce', async () => {
  const token = await requestBoundToken();
  const dpop = await key.createProof({ ...operation, token });
  const answer = await testApp.requestOrders(`DPoP ${token}`, { dpop });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['dpop-nonce'], undefined);
});

test('Ed25519 keys work too', async () => {
  const other = await generateProofKey('Ed25519');
  const token = await requestBoundToken(other);
  const dpop = await other.createProof({ ...operation, token });
  assert.equal((await testApp.requestOrders(`DPoP ${token}`, { dpop })).status, 200);
});

test('the htu comparison ignores the query and the case of the host', async () => {
  const token = await requestBoundToken();
  for (const htu of [
    `${origin}/api/orders`,
    `${origin.replace('localhost', 'LOCALHOST')}/api/orders?limit=1`,
  ]) {
    const dpop = await key.createProof({ htm: 'GET', htu, token });
    const headers = { authorization: `DPoP ${token}`, dpop };
    assert.equal((await testApp.get('/api/orders?limit=1', { headers })).status, 200);
  }
});

test('the time of a proof may have a fraction of a second (RFC 7519 §2)', async () => {
  const token = await requestBoundToken();
  const dpop = await key.createProof({ ...operation, token, iat: getUnixSeconds() + 0.123456 });
  assert.equal((await testApp.requestOrders(`DPoP ${token}`, { dpop })).status, 200);
  const again = await testApp.requestOrders(`DPoP ${token}`, { dpop });
  assert.deepEqual([again.status, again.json['code']], [401, 'invalid_dpop_proof']);
});

test('a proof that is dated ahead cannot be used again, as long as its time is good', async (t) => {
  const dpop = await key.createProof({ ...endpoint, iat: getUnixSeconds() + 290 });
  const requestWithProof = () => testApp.requestToken(agent, clientCredentialsForm, { dpop });
  assert.equal((await requestWithProof()).status, 200);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 310_000 });
  await runInBatches(testApp.store, (records, limit) =>
    deleteExpiredRows(records, 'tokens', Date.now(), limit),
  );
  assertOAuthRefusal(await requestWithProof(), 400, 'invalid_dpop_proof');
});

const wrong: [why: string, claims: Partial<Parameters<ProofKey['createProof']>[0]>][] = [
  ['another method', { htm: 'POST' }],
  ['another address', { htu: `${origin}/api/pricing` }],
  ['another host', { htu: 'https://elsewhere.example/api/orders' }],
  ['another token', { ath: 'c29tZXRoaW5nIGVsc2U' }],
  ['a time long gone', { iat: getUnixSeconds() - 301 }],
  ['a time to come', { iat: getUnixSeconds() + 320 }],
  ['no identity', { jti: '' }],
  ['another type', { typ: 'jwt' }],
];

for (const [why, claims] of wrong)
  test(`at the API, a proof of ${why} is refused`, async () => {
    const token = await requestBoundToken();
    const dpop = await key.createProof({ ...operation, token, ...claims });
    const answer = await testApp.requestOrders(`DPoP ${token}`, { dpop });
    assert.deepEqual([answer.status, answer.json['code']], [401, 'invalid_dpop_proof']);
    assert.match(String(answer.headers['www-authenticate']), /DPoP error="invalid_dpop_proof"/);
  });

test('at the API, a proof by another key, a reused proof, no proof and garbage are refused', async () => {
  const token = await requestBoundToken();
  const thief = await generateProofKey();
  const spent = await key.createProof({ ...operation, token });
  assert.equal((await testApp.requestOrders(`DPoP ${token}`, { dpop: spent })).status, 200);
  for (const dpop of [
    await thief.createProof({ ...operation, token }),
    spent,
    'garbage',
    'x'.repeat(5_000),
  ]) {
    const answer = await testApp.requestOrders(`DPoP ${token}`, { dpop });
    assert.deepEqual([answer.status, answer.json['code']], [401, 'invalid_dpop_proof']);
  }
  assert.equal((await testApp.requestOrders(`DPoP ${token}`)).status, 401);
});

test('a bound token is not accepted as a bearer token, and a bearer token needs no proof', async () => {
  const token = await requestBoundToken();
  const asBearer = await testApp.requestOrders(`Bearer ${token}`, {
    dpop: await key.createProof({ ...operation, token }),
  });
  assert.deepEqual([asBearer.status, asBearer.json['code']], [401, 'invalid_token']);
  const { json } = await testApp.requestToken(agent, clientCredentialsForm);
  const bearer = String(json['access_token']);
  const asBound = await testApp.requestOrders(`DPoP ${bearer}`, {
    dpop: await key.createProof({ ...operation, token: bearer }),
  });
  assert.deepEqual([asBound.status, asBound.json['code']], [401, 'invalid_token']);
});

const wrongAtEndpoint: [why: string, claims: Partial<Parameters<ProofKey['createProof']>[0]>][] = [
  ['another method', { htm: 'GET' }],
  ['another address', { htu: `${origin}/api/orders` }],
  ['a time long gone', { iat: getUnixSeconds() - 301 }],
  ['another type', { typ: 'jwt' }],
];

for (const [why, claims] of wrongAtEndpoint)
  test(`at the token endpoint, a proof of ${why} is refused`, async () => {
    const dpop = await key.createProof({ ...endpoint, ...claims });
    assertOAuthRefusal(
      await testApp.requestToken(agent, clientCredentialsForm, { dpop }),
      400,
      'invalid_dpop_proof',
    );
  });

test('at the token endpoint, a proof can be used once', async () => {
  const dpop = await key.createProof(endpoint);
  assert.equal((await testApp.requestToken(agent, clientCredentialsForm, { dpop })).status, 200);
  assertOAuthRefusal(
    await testApp.requestToken(agent, clientCredentialsForm, { dpop }),
    400,
    'invalid_dpop_proof',
  );
});

test('a client that requires DPoP gets no token without a proof', async () => {
  assertOAuthRefusal(await testApp.requestToken(strict, clientCredentialsForm), 400, 'invalid_dpop_proof');
  const answer = await testApp.requestToken(strict, clientCredentialsForm, {
    dpop: await key.createProof(endpoint),
  });
  assert.equal(answer.json['token_type'], 'DPoP');
});

test('a code that is bound to a key cannot be used with another key, and a replayed proof ends no token', async () => {
  const dpop_jkt = await calculateJwkThumbprint(key.jwk);
  const thief = await generateProofKey();
  const obtainCodeForm = async () => {
    const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId, { dpop_jkt }));
    return buildCodeGrantForm(callback.searchParams.get('code') ?? '');
  };
  assertOAuthRefusal(await testApp.requestToken(agent, await obtainCodeForm()), 400, 'invalid_grant');
  const stolen = { dpop: await thief.createProof(endpoint) };
  assertOAuthRefusal(await testApp.requestToken(agent, await obtainCodeForm(), stolen), 400, 'invalid_grant');
  const dpop = await key.createProof(endpoint);
  const own = await testApp.requestToken(agent, await obtainCodeForm(), { dpop });
  assert.equal(own.status, 200, own.text);
  const refresh = buildRefreshGrantForm(String(own.json['refresh_token']));
  const replayed = await testApp.requestToken(agent, refresh, { dpop });
  assertOAuthRefusal(replayed, 400, 'invalid_dpop_proof');
  const next = await testApp.requestToken(agent, refresh, { dpop: await key.createProof(endpoint) });
  assert.equal(next.json['token_type'], 'DPoP', next.text);
});

test('a forged Host header makes neither a proof for another host valid nor one for ours invalid', async () => {
  const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  const token = await requestBoundToken();
  for (const [where, status] of [
    [origin, 200],
    ['https://evil.example', 400],
  ] as const) {
    const dpop = await key.createProof({ htm: 'POST', htu: `${where}/oauth2/token` });
    assert.equal(
      (await testApp.requestToken(agent, clientCredentialsForm, { ...forged, dpop })).status,
      status,
    );
    const createProof = await key.createProof({ htm: 'GET', htu: `${where}/api/orders`, token });
    const answer = await testApp.requestOrders(`DPoP ${token}`, { ...forged, dpop: createProof });
    assert.equal(answer.status, status === 200 ? 200 : 401);
  }
});

test('claims can be read with a bound token too', async () => {
  const token = await requestBoundToken();
  const path = '/hcgi/platform/api/collections/users/auth-refresh';
  const dpop = await key.createProof({ htm: 'POST', htu: origin + path, token });
  const answer = await testApp.get(path, {
    method: 'POST',
    headers: { authorization: `DPoP ${token}`, dpop },
  });
  assert.equal(answer.json['sub'], agent.clientId);
  assert.equal((await testApp.get(path, { headers: { authorization: token } })).status, 401);
});
