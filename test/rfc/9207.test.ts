/** RFC 9207: an authorization response names its issuer, which prevents mix-up attacks. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type AuthorizationServer, validateAuthResponse } from 'oauth4webapi';
import { testApp } from '#test/oauth/shared-test-app.ts';

const agent = await testApp.createClient();
const metadata = (await testApp.get('/.well-known/oauth-authorization-server')).json;
const server = metadata as unknown as AuthorizationServer;

test('a success and an error both carry the issuer, as the metadata promises, and a strict client takes no other', async () => {
  assert.equal(metadata['authorization_response_iss_parameter_supported'], true);
  const client = { client_id: agent.clientId };
  const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId));
  validateAuthResponse(server, client, callback, 'a-state');
  const refused = await testApp.openAuthorization(agent.clientId, { scope: 'everything' });
  for (const answer of [callback, refused.getExternalRedirect()])
    assert.equal(answer?.searchParams.get('iss'), testApp.origin);
  const [other, none] = [new URL(callback), new URL(callback)];
  other.searchParams.set('iss', 'https://other.example');
  none.searchParams.delete('iss');
  for (const wrong of [other, none])
    assert.throws(() => validateAuthResponse(server, client, wrong, 'a-state'), /iss/);
});
