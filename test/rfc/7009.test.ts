/** RFC 7009: revocation at the address of the specification. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  assertOAuthRefusal,
  buildRefreshGrantForm,
  clientCredentialsForm,
  postForm,
  REVOCATION_PATH,
} from '#test/oauth/oauth-test-app.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const { revokeToken, isTokenAccepted, obtainTokens } = testApp;
const agent = await testApp.createClient();

async function requestOwnToken(): Promise<string> {
  return String((await testApp.requestToken(agent, clientCredentialsForm)).json['access_token']);
}

test('a revoked token fails on the very next request', async () => {
  const token = await requestOwnToken();
  assert.ok(await isTokenAccepted(token));
  const answer = await revokeToken(agent, token);
  assert.deepEqual([answer.status, answer.text], [200, '']);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.ok(!(await isTokenAccepted(token)));
});

test('revoking a refresh token ends its access tokens, and the other way round', async () => {
  for (const kind of ['refresh_token', 'access_token'] as const) {
    const tokens = await obtainTokens(agent);
    const other = await obtainTokens(agent);
    await revokeToken(agent, tokens[kind]);
    assert.ok(!(await isTokenAccepted(tokens.access_token)));
    await testApp.assertRefused(agent, buildRefreshGrantForm(tokens.refresh_token), 'invalid_grant');
    assert.ok(await isTokenAccepted(other.access_token), 'another consent is another family');
  }
});

test('a revocation by another client has no effect, and is answered like one of garbage', async () => {
  const stranger = await testApp.createClient();
  const own = await requestOwnToken();
  for (const token of [own, 'garbage']) {
    const answer = await revokeToken(stranger, token);
    assert.deepEqual([answer.status, answer.text], [200, '']);
  }
  assert.ok(await isTokenAccepted(own));
});

test('a revocation without authentication or without a token is refused', async () => {
  const token = await requestOwnToken();
  const wrong = { ...agent, clientSecret: 'wrong' };
  assertOAuthRefusal(await revokeToken(wrong, token), 401, 'invalid_client');
  assertOAuthRefusal(await postForm(testApp.get, REVOCATION_PATH, { token }), 401, 'invalid_client');
  assert.ok(await isTokenAccepted(token));
  assertOAuthRefusal(await revokeToken(agent, ''), 400, 'invalid_request');
});

test('a wrong token_type_hint does no harm', async () => {
  const { refresh_token: token, access_token } = await obtainTokens(agent);
  const { clientId: client_id, clientSecret: client_secret } = agent;
  const form = { token, token_type_hint: 'access_token', client_id, client_secret };
  assert.equal((await postForm(testApp.get, REVOCATION_PATH, form)).status, 200);
  assert.ok(!(await isTokenAccepted(access_token)));
});
