/** RFC 8414: the server's metadata, and a check of every claim in it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { testApp } from '#test/oauth/shared-test-app.ts';

const { origin, get } = testApp;
const metadata = (await get('/.well-known/oauth-authorization-server')).json;

test('every endpoint of the metadata answers', async () => {
  const agent = metadata['agent_auth'] as Record<string, unknown>;
  const expected: [address: unknown, method: string, status: number][] = [
    [metadata['authorization_endpoint'], 'GET', 400],
    [metadata['token_endpoint'], 'POST', 401],
    [metadata['revocation_endpoint'], 'POST', 401],
    [metadata['jwks_uri'], 'GET', 200],
    [agent['claims_endpoint'], 'GET', 401],
    [agent['claims_endpoint'], 'POST', 401],
  ];
  for (const [address, method, status] of expected) {
    const { pathname, origin: where } = new URL(String(address));
    assert.equal(where, origin);
    const headers = method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {};
    assert.equal((await get(pathname, { method, headers })).status, status, pathname);
  }
});

test('the key set holds one public ES256 key', async () => {
  const { json } = await get('/oauth2/jwks');
  const [key, ...others] = json['keys'] as Record<string, unknown>[];
  assert.deepEqual(others, []);
  assert.deepEqual([key?.['kty'], key?.['crv'], key?.['alg'], key?.['use']], ['EC', 'P-256', 'ES256', 'sig']);
  assert.ok(key?.['kid']);
  assert.equal(key?.['d'], undefined);
});

test('OpenID Connect is neither advertised nor served', async () => {
  for (const name of Object.keys(metadata))
    assert.doesNotMatch(name, /id_token|userinfo|claims_|subject_types|end_session|registration_endpoint/);
  for (const path of [
    '/.well-known/openid-configuration',
    '/oauth2/userinfo',
    '/oauth2/introspect',
    '/oauth2/request',
    '/me',
    '/session/end',
    '/reg',
  ])
    assert.equal((await get(path)).status, 404, path);
});

test('a forged Host and forged X-Forwarded headers change nothing', async () => {
  const forged = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    forwarded: 'host=evil.example',
  };
  assert.deepEqual(
    (await get('/.well-known/oauth-authorization-server', { headers: forged })).json,
    metadata,
  );
  const agent = await testApp.createClient();
  const { pathname, search } = new URL(testApp.buildAuthorizeUrl(agent.clientId));
  const response = await get(pathname + search, { headers: forged });
  assert.equal(response.status, 303);
  assert.match(response.headers.location ?? '', /^\/sign-in\/[\w-]+$/);
  const cookies = (response.headers['set-cookie'] ?? []).filter((cookie) => !/max-age=0/i.test(cookie));
  assert.ok(cookies.length >= 2);
  for (const cookie of cookies) {
    assert.match(cookie, /^__(Host|Secure)-/);
    assert.match(cookie, /; samesite=lax; secure; httponly$/);
  }
  const { json } = await testApp.requestToken(agent, { grant_type: 'client_credentials' }, forged);
  assert.ok(json['access_token']);
});
