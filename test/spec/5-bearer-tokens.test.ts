/** Specification 5: protected routes accept a token that discovery leads to, and nothing else. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { clientCredentialsForm, startOAuthTestApp } from '#test/oauth/oauth-test-app.ts';

const testApp = await startOAuthTestApp({ after });

test('from the metadata to a token, and with it to a protected operation', async () => {
  const { json } = await testApp.get('/.well-known/oauth-authorization-server');
  assert.equal(json['token_endpoint'], `${testApp.origin}/oauth2/token`);
  const { json: granted } = await testApp.requestToken(await testApp.createClient(), clientCredentialsForm);
  assert.equal(granted['token_type'], 'Bearer');
  assert.equal((await testApp.requestOrders(`Bearer ${granted['access_token']}`)).status, 200);
});

test('without a token, or with one that was never given, it stays shut', async () => {
  for (const authorization of [undefined, 'Bearer invented', 'Basic YTpi'])
    assert.equal((await testApp.requestOrders(authorization)).status, 401, authorization);
});
