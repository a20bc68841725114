/** RFC 7009: revocation at the address of the specification. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  assertOAuthRefusal,
  buildRefreshGrantForm,
  clientCredentialsForm,
} from '#test/oauth/oauth-test-app.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const agent = await testApp.createClient();

const isTokenAccepted = async (token: unknown) =>
  (await testApp.requestOrders(`Bearer ${token}`)).status === 200;

test('a revoked token fails on the very next request', async () => {
  const { json } = await testApp.requestToken(agent, clientCredentialsForm);
  assert.ok(await isTokenAccepted(json['access_token']));
  const answer = await testApp.revokeToken(agent, String(json['access_token']));
  assert.deepEqual([answer.status, answer.text], [200, '']);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.ok(!(await isTokenAccepted(json['access_token'])));
});

test('revoking a refresh token ends its access tokens, and the other way round', async () => {
  for (const kind of ['refresh_token', 'access_token'] as const) {
    const tokens = await testApp.obtainTokens(agent);
    const other = await testApp.obtainTokens(agent);
    await testApp.revokeToken(agent, tokens[kind]);
    assert.ok(!(await isTokenAccepted(tokens.access_token)));
    assertOAuthRefusal(
      await testApp.requestToken(agent, buildRefreshGrantForm(tokens.refresh_token)),
      400,
      'invalid_grant',
    );
    assert.ok(await isTokenAccepted(other.access_token), 'another consent is another family');
  }
});

test('a revocation by another client has no effect, and is answered like one of garbage', async () => {
  const stranger = await testApp.createClient();
  const { json } = await testApp.requestToken(agent, clientCredentialsForm);
  for (const token of [String(json['access_token']), 'garbage']) {
    const answer = await testApp.revokeToken(stranger, token);
    assert.deepEqual([answer.status, answer.text], [200, '']);
  }
  assert.ok(await isTokenAccepted(json['access_token']));
});

test('a revocation without authentication or without a token is refused', async () => {
  const { json } = await testApp.requestToken(agent, clientCredentialsForm);
  const wrong = { ...agent, clientSecret: 'wrong' };
  assertOAuthRefusal(await testApp.revokeToken(wrong, String(json['access_token'])), 401, 'invalid_client');
  const anonymous = await testApp.get('/hcgi/platform/api/oauth2/revoke', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${json['access_token']}`,
  });
  assertOAuthRefusal(anonymous, 401, 'invalid_client');
  assert.ok(await isTokenAccepted(json['access_token']));
  assertOAuthRefusal(await testApp.revokeToken(agent, ''), 400, 'invalid_request');
});

test('a wrong token_type_hint does no harm', async () => {
  const { refresh_token, access_token } = await testApp.obtainTokens(agent);
  const answer = await testApp.get('/hcgi/platform/api/oauth2/revoke', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      token: refresh_token,
      token_type_hint: 'access_token',
      client_id: agent.clientId,
      client_secret: agent.clientSecret,
    }).toString(),
  });
  assert.equal(answer.status, 200);
  assert.ok(!(await isTokenAccepted(access_token)));
});
