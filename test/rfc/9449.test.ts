/** RFC 9449: DPoP at the token endpoint and at every protected operation. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { deleteExpiredRows } from '#store/due-work.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { generateProofKey, obtainBoundToken, type ProofKey } from '#test/oauth/dpop-proof.ts';
import { buildRefreshGrantForm, CLAIMS_PATH, clientCredentialsForm } from '#test/oauth/oauth-test-app.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const { origin, requestToken, requestOrders, assertRefused } = testApp;
const agent = await testApp.createClient();
const strict = await testApp.createClient({ credentials: 'dpop' });
const key = await generateProofKey();
const endpoint = { htm: 'POST', htu: `${origin}/oauth2/token` };
const operation = { htm: 'GET', htu: `${origin}/api/orders` };
const getUnixSeconds = () => Math.floor(Date.now() / 1_000);
const requestBoundToken = (used = key) => obtainBoundToken(testApp, agent, used);

type Claims = Partial<Parameters<ProofKey['createProof']>[0]>;

async function assertProofRefused(token: string, dpop: string, fault = /./): Promise<void> {
  const { status, json, headers } = await requestOrders(`DPoP ${token}`, { dpop });
  assert.deepEqual([status, json['code']], [401, 'invalid_dpop_proof']);
  assert.match(String(headers['www-authenticate']), /DPoP error="invalid_dpop_proof"/);
  assert.match(String(json['detail']), fault);
}

test('a client that sends a proof by a key of any kind gets a bound token, and is never asked for a nonce', async () => {
  for (const used of [key, await generateProofKey('Ed25519')]) {
    const token = await requestBoundToken(used);
    const answer = await requestOrders(`DPoP ${token}`, {
      dpop: await used.createProof({ ...operation, token }),
    });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['dpop-nonce'], undefined);
  }
});

test('the htu comparison ignores the query and the case of the host', async () => {
  const token = await requestBoundToken();
  for (const host of [origin, origin.replace('localhost', 'LOCALHOST')]) {
    const dpop = await key.createProof({ htm: 'GET', htu: `${host}/api/orders?limit=1`, token });
    const headers = { authorization: `DPoP ${token}`, dpop };
    assert.equal((await testApp.get('/api/orders?limit=1', { headers })).status, 200);
  }
});

test('the time of a proof may have a fraction of a second (RFC 7519 §2)', async () => {
  const token = await requestBoundToken();
  const dpop = await key.createProof({ ...operation, token, iat: getUnixSeconds() + 0.123456 });
  assert.equal((await requestOrders(`DPoP ${token}`, { dpop })).status, 200);
  await assertProofRefused(token, dpop, /was used before/);
});

test('a proof that is dated ahead cannot be used again, as long as its time is good', async (t) => {
  const dpop = await key.createProof({ ...endpoint, iat: getUnixSeconds() + 290 });
  assert.equal((await requestToken(agent, clientCredentialsForm, { dpop })).status, 200);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 310_000 });
  await runInBatches(testApp.store, (records, limit) =>
    deleteExpiredRows(records, 'tokens', Date.now(), limit),
  );
  await assertRefused(agent, clientCredentialsForm, 'invalid_dpop_proof', { dpop });
});

const wrong: [why: string, claims: Claims, fault: RegExp][] = [
  ['another method', { htm: 'POST' }, /`htm` is not the method/],
  ['another address', { htu: `${origin}/api/pricing` }, /`htu` is not/],
  ['another host', { htu: 'https://elsewhere.example/api/orders' }, /`htu` is not/],
  ['another token', { ath: 'c29tZXRoaW5nIGVsc2U' }, /`ath` is not/],
  ['a time long gone', { iat: getUnixSeconds() - 301 }, /`iat` is missing, or too far/],
  ['a time to come', { iat: getUnixSeconds() + 320 }, /`iat` is missing, or too far/],
  ['no identity', { jti: '' }, /`jti` is missing/],
  ['another type', { typ: 'jwt' }, /is not a JWT of the type/],
];

for (const [why, claims, fault] of wrong)
  test(`at the API, a proof of ${why} is refused, and the refusal says so`, async () => {
    const token = await requestBoundToken();
    await assertProofRefused(token, await key.createProof({ ...operation, token, ...claims }), fault);
  });

test('at the API, a proof by another key, a reused proof, no proof and garbage are refused', async () => {
  const token = await requestBoundToken();
  const thief = await generateProofKey();
  const spent = await key.createProof({ ...operation, token });
  assert.equal((await requestOrders(`DPoP ${token}`, { dpop: spent })).status, 200);
  await assertProofRefused(token, spent, /was used before/);
  await assertProofRefused(token, await thief.createProof({ ...operation, token }), /is not bound to/);
  await assertProofRefused(token, 'garbage', /is not a JWT of the type/);
  await assertProofRefused(token, 'x'.repeat(5_000), /is too long/);
  assert.equal((await requestOrders(`DPoP ${token}`)).status, 401);
});

test('a bound token is not accepted as a bearer token, and a bearer token needs no proof', async () => {
  const bound = await requestBoundToken();
  const bearer = (await testApp.obtainBearer(agent)).slice('Bearer '.length);
  for (const [scheme, token] of [
    ['Bearer', bound],
    ['DPoP', bearer],
  ] as const) {
    const dpop = await key.createProof({ ...operation, token });
    const { status, json } = await requestOrders(`${scheme} ${token}`, { dpop });
    assert.deepEqual([status, json['code']], [401, 'invalid_token'], scheme);
  }
});

const wrongAtEndpoint: [why: string, claims: Claims][] = [
  ['another method', { htm: 'GET' }],
  ['another address', { htu: `${origin}/api/orders` }],
  ['a time long gone', { iat: getUnixSeconds() - 301 }],
  ['another type', { typ: 'jwt' }],
];

for (const [why, claims] of wrongAtEndpoint)
  test(`at the token endpoint, a proof of ${why} is refused`, async () => {
    const dpop = await key.createProof({ ...endpoint, ...claims });
    await assertRefused(agent, clientCredentialsForm, 'invalid_dpop_proof', { dpop });
  });

test('at the token endpoint, a proof can be used once', async () => {
  const dpop = await key.createProof(endpoint);
  assert.equal((await requestToken(agent, clientCredentialsForm, { dpop })).status, 200);
  await assertRefused(agent, clientCredentialsForm, 'invalid_dpop_proof', { dpop });
});

test('a client that requires DPoP gets no token without a proof', async () => {
  await assertRefused(strict, clientCredentialsForm, 'invalid_dpop_proof');
  assert.ok(await obtainBoundToken(testApp, strict, key));
});

test('a code that is bound to a key cannot be used with another key, and a replayed proof ends no token', async () => {
  const dpop_jkt = await calculateJwkThumbprint(key.jwk);
  const obtainCodeForm = () => testApp.obtainCodeForm(agent, { dpop_jkt });
  const thief = await generateProofKey();
  await assertRefused(agent, await obtainCodeForm(), 'invalid_grant');
  const stolen = { dpop: await thief.createProof(endpoint) };
  await assertRefused(agent, await obtainCodeForm(), 'invalid_grant', stolen);
  const dpop = await key.createProof(endpoint);
  const own = await requestToken(agent, await obtainCodeForm(), { dpop });
  assert.equal(own.status, 200, own.text);
  const refresh = buildRefreshGrantForm(own.json['refresh_token']);
  await assertRefused(agent, refresh, 'invalid_dpop_proof', { dpop });
  const next = await requestToken(agent, refresh, { dpop: await key.createProof(endpoint) });
  assert.equal(next.json['token_type'], 'DPoP', next.text);
});

test('a forged Host header makes neither a proof for another host valid nor one for ours invalid', async () => {
  const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  const token = await requestBoundToken();
  for (const [where, atEndpoint, atApi] of [
    [origin, 200, 200],
    ['https://evil.example', 400, 401],
  ] as const) {
    const forToken = await key.createProof({ htm: 'POST', htu: `${where}/oauth2/token` });
    const issued = await requestToken(agent, clientCredentialsForm, { ...forged, dpop: forToken });
    const forApi = await key.createProof({ htm: 'GET', htu: `${where}/api/orders`, token });
    const orders = await requestOrders(`DPoP ${token}`, { ...forged, dpop: forApi });
    assert.deepEqual([issued.status, orders.status], [atEndpoint, atApi], where);
  }
});

test('claims can be read with a bound token too', async () => {
  const token = await requestBoundToken();
  const dpop = await key.createProof({ htm: 'POST', htu: origin + CLAIMS_PATH, token });
  const headers = { authorization: `DPoP ${token}`, dpop };
  const { json } = await testApp.get(CLAIMS_PATH, { method: 'POST', headers });
  assert.equal(json['sub'], agent.clientId);
  assert.equal((await testApp.get(CLAIMS_PATH, { headers: { authorization: token } })).status, 401);
});
