/** RFC 9207: an authorization response names its issuer, which prevents mix-up attacks. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type AuthorizationServer, validateAuthResponse } from 'oauth4webapi';
import { testApp } from '#test/oauth/shared-test-app.ts';

const agent = await testApp.createClient();
const metadata = (await testApp.get('/.well-known/oauth-authorization-server')).json;
const server = metadata as unknown as AuthorizationServer;

test('a success and an error both carry the issuer, as the metadata promises', async () => {
  assert.equal(metadata['authorization_response_iss_parameter_supported'], true);
  const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId));
  assert.equal(callback.searchParams.get('iss'), testApp.origin);
  validateAuthResponse(server, { client_id: agent.clientId }, callback, 'a-state');
  const browser = testApp.openBrowser();
  await browser.open(testApp.buildAuthorizeUrl(agent.clientId, { scope: 'everything' }));
  assert.equal(browser.getExternalRedirect()?.searchParams.get('iss'), testApp.origin);
});

test('a strict client refuses a response of another issuer, without one, and to another request', async () => {
  const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId));
  const client = { client_id: agent.clientId };
  const other = new URL(callback);
  other.searchParams.set('iss', 'https://other.example');
  assert.throws(() => validateAuthResponse(server, client, other, 'a-state'), /iss/);
  const none = new URL(callback);
  none.searchParams.delete('iss');
  assert.throws(() => validateAuthResponse(server, client, none, 'a-state'), /iss/);
  assert.throws(() => validateAuthResponse(server, client, callback, 'another-state'), /state/);
});
