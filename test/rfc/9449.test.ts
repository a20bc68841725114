/** RFC 9449: DPoP at the token endpoint and at every protected operation. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { generateProofKey, type ProofKey } from '#test/oauth/dpop-proof.ts';
import {
  assertOAuthRefusal,
  buildCodeGrantForm,
  buildRefreshGrantForm,
  clientCredentialsForm,
  startOAuthTestApp,
} from '#test/oauth/oauth-test-app.ts';

const office = await startOAuthTestApp({ after });
const { origin } = office;
const agent = await office.client();
const strict = await office.client({ credentials: 'dpop' });
const key = await generateProofKey();
const endpoint = { htm: 'POST', htu: `${origin}/oauth2/token` };
const operation = { htm: 'GET', htu: `${origin}/api/orders` };
const getUnixSeconds = () => Math.floor(Date.now() / 1_000);

async function requestBoundToken({ proof }: ProofKey = key): Promise<string> {
  const { json } = await office.token(agent, clientCredentialsForm, { dpop: await proof(endpoint) });
  assert.equal(json['token_type'], 'DPoP');
  return String(json['access_token']);
}

test('a client that sends a proof gets a bound token, and is never asked for a nonce', async () => {
  const token = await requestBoundToken();
  const dpop = await key.proof({ ...operation, token });
  const answer = await office.orders(`DPoP ${token}`, { dpop });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['dpop-nonce'], undefined);
});

test('Ed25519 keys work too', async () => {
  const other = await generateProofKey('Ed25519');
  const token = await requestBoundToken(other);
  const dpop = await other.proof({ ...operation, token });
  assert.equal((await office.orders(`DPoP ${token}`, { dpop })).status, 200);
});

test('the htu comparison ignores the query and the case of the host', async () => {
  const token = await requestBoundToken();
  for (const htu of [
    `${origin}/api/orders`,
    `${origin.replace('localhost', 'LOCALHOST')}/api/orders?limit=1`,
  ]) {
    const dpop = await key.proof({ htm: 'GET', htu, token });
    const headers = { authorization: `DPoP ${token}`, dpop };
    assert.equal((await office.get('/api/orders?limit=1', { headers })).status, 200);
  }
});

const wrong: [why: string, claims: Partial<Parameters<ProofKey['proof']>[0]>][] = [
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
    const dpop = await key.proof({ ...operation, token, ...claims });
    const answer = await office.orders(`DPoP ${token}`, { dpop });
    assert.deepEqual([answer.status, answer.json['code']], [401, 'invalid_dpop_proof']);
    assert.match(String(answer.headers['www-authenticate']), /DPoP error="invalid_dpop_proof"/);
  });

test('at the API, a proof by another key, a reused proof, no proof and garbage are refused', async () => {
  const token = await requestBoundToken();
  const thief = await generateProofKey();
  const spent = await key.proof({ ...operation, token });
  assert.equal((await office.orders(`DPoP ${token}`, { dpop: spent })).status, 200);
  for (const dpop of [await thief.proof({ ...operation, token }), spent, 'garbage', 'x'.repeat(5_000)]) {
    const answer = await office.orders(`DPoP ${token}`, { dpop });
    assert.deepEqual([answer.status, answer.json['code']], [401, 'invalid_dpop_proof']);
  }
  assert.equal((await office.orders(`DPoP ${token}`)).status, 401);
});

test('a bound token is not accepted as a bearer token, and a bearer token needs no proof', async () => {
  const token = await requestBoundToken();
  const asBearer = await office.orders(`Bearer ${token}`, { dpop: await key.proof({ ...operation, token }) });
  assert.deepEqual([asBearer.status, asBearer.json['code']], [401, 'invalid_token']);
  const { json } = await office.token(agent, clientCredentialsForm);
  const bearer = String(json['access_token']);
  const asBound = await office.orders(`DPoP ${bearer}`, {
    dpop: await key.proof({ ...operation, token: bearer }),
  });
  assert.deepEqual([asBound.status, asBound.json['code']], [401, 'invalid_token']);
});

const wrongAtEndpoint: [why: string, claims: Partial<Parameters<ProofKey['proof']>[0]>][] = [
  ['another method', { htm: 'GET' }],
  ['another address', { htu: `${origin}/api/orders` }],
  ['a time long gone', { iat: getUnixSeconds() - 301 }],
  ['another type', { typ: 'jwt' }],
];

for (const [why, claims] of wrongAtEndpoint)
  test(`at the token endpoint, a proof of ${why} is refused`, async () => {
    const dpop = await key.proof({ ...endpoint, ...claims });
    assertOAuthRefusal(await office.token(agent, clientCredentialsForm, { dpop }), 400, 'invalid_dpop_proof');
  });

test('at the token endpoint, a proof can be used once', async () => {
  const dpop = await key.proof(endpoint);
  assert.equal((await office.token(agent, clientCredentialsForm, { dpop })).status, 200);
  assertOAuthRefusal(await office.token(agent, clientCredentialsForm, { dpop }), 400, 'invalid_dpop_proof');
});

test('a client that requires DPoP gets no token without a proof', async () => {
  assertOAuthRefusal(await office.token(strict, clientCredentialsForm), 400, 'invalid_dpop_proof');
  const answer = await office.token(strict, clientCredentialsForm, { dpop: await key.proof(endpoint) });
  assert.equal(answer.json['token_type'], 'DPoP');
});

test('a code that is bound to a key cannot be used with another key', async () => {
  const dpop_jkt = await calculateJwkThumbprint(key.jwk);
  const thief = await generateProofKey();
  const obtainCodeForm = async () => {
    const landed = await office.authorize(office.authorizeUrl(agent.clientId, { dpop_jkt }));
    return buildCodeGrantForm(landed.searchParams.get('code') ?? '');
  };
  assertOAuthRefusal(await office.token(agent, await obtainCodeForm()), 400, 'invalid_grant');
  const stolen = { dpop: await thief.proof(endpoint) };
  assertOAuthRefusal(await office.token(agent, await obtainCodeForm(), stolen), 400, 'invalid_grant');
  const own = await office.token(agent, await obtainCodeForm(), { dpop: await key.proof(endpoint) });
  assert.equal(own.status, 200, own.text);
  const refresh = buildRefreshGrantForm(String(own.json['refresh_token']));
  const next = await office.token(agent, refresh, { dpop: await key.proof(endpoint) });
  assert.equal(next.json['token_type'], 'DPoP', next.text);
});

test('a forged Host header makes neither a proof for another host valid nor one for ours invalid', async () => {
  const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  const token = await requestBoundToken();
  for (const [where, status] of [
    [origin, 200],
    ['https://evil.example', 400],
  ] as const) {
    const dpop = await key.proof({ htm: 'POST', htu: `${where}/oauth2/token` });
    assert.equal((await office.token(agent, clientCredentialsForm, { ...forged, dpop })).status, status);
    const proof = await key.proof({ htm: 'GET', htu: `${where}/api/orders`, token });
    const answer = await office.orders(`DPoP ${token}`, { ...forged, dpop: proof });
    assert.equal(answer.status, status === 200 ? 200 : 401);
  }
});

test('claims can be read with a bound token too', async () => {
  const token = await requestBoundToken();
  const path = '/hcgi/platform/api/collections/users/auth-refresh';
  const dpop = await key.proof({ htm: 'POST', htu: origin + path, token });
  const answer = await office.get(path, {
    method: 'POST',
    headers: { authorization: `DPoP ${token}`, dpop },
  });
  assert.equal(answer.json['sub'], agent.clientId);
  assert.equal((await office.get(path, { headers: { authorization: token } })).status, 401);
});
