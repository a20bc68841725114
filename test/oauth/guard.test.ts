/** Which token gives access to which route, and how all others are refused. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { hashTokenValue } from '#store/clients/tokens.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { startOAuthTestApp } from './oauth-test-app.ts';
import { testApp } from './shared-test-app.ts';

const { get, origin } = testApp;
const agent = await testApp.createClient();
const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/api"`;

const requestBearerToken = (scope: string) => testApp.obtainBearer(agent, { scope });

function assertRefusal(
  { status, json, headers }: HttpsResponse,
  expected: [status: number, code: string],
): void {
  assert.deepEqual([status, json['code']], expected);
  assert.equal(headers['content-type'], 'application/problem+json');
  assert.equal(headers['cache-control'], 'no-store');
}

test('a token that is not a valid access token is refused without details', async (t) => {
  const elsewhere = await startOAuthTestApp(t);
  const foreign = await elsewhere.obtainBearer(await elsewhere.createClient());
  const { access_token, refresh_token } = await testApp.obtainTokens(agent);
  for (const token of [
    'garbage',
    '',
    'a b',
    'é',
    foreign.slice('Bearer '.length),
    refresh_token,
    agent.clientSecret,
    hashTokenValue(access_token),
    `${access_token}x`,
    access_token.toLowerCase(),
  ]) {
    const answer = await testApp.requestOrders(`Bearer ${token}`);
    assertRefusal(answer, [401, 'invalid_token']);
    const header = String(answer.headers['www-authenticate']);
    assert.match(header, /^Bearer error="invalid_token", error_description="[^"]+", scope="case:write", /);
    assert.ok(header.includes(metadata));
  }
});

test('the scheme’s name may be written in any case; another scheme counts as no token', async () => {
  const token = (await requestBearerToken('case:write')).slice('Bearer '.length);
  for (const scheme of ['bearer', 'BEARER', 'Bearer '])
    assert.equal((await testApp.requestOrders(`${scheme} ${token}`)).status, 200);
  const basic = await testApp.requestOrders('Basic eDp5');
  assertRefusal(basic, [401, 'unauthorized']);
  assert.doesNotMatch(String(basic.headers['www-authenticate']), /error=/);
});

test('health, readiness and pages do not look at tokens', async () => {
  for (const path of ['/api/health', '/api/ready', '/'])
    assert.equal((await get(path, { headers: { authorization: 'Bearer garbage' } })).status, 200, path);
});

test('authorization is checked before the request is validated', async () => {
  const postCheckout = (authorization: string) =>
    get('/api/stripe/checkout', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"no":',
    });
  assertRefusal(await postCheckout('Bearer garbage'), [401, 'invalid_token']);
  assertRefusal(await postCheckout(await requestBearerToken('pricing:read')), [403, 'insufficient_scope']);
  assertRefusal(await get('/api/orders?limit=many'), [401, 'unauthorized']);
});

test('an unknown address asks for no token', async () => {
  assertRefusal(await get('/api/nowhere'), [404, 'not_found']);
  assertRefusal(await get('/api/orders', { method: 'DELETE' }), [405, 'method_not_allowed']);
});
