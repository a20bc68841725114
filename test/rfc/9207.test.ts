/** RFC 9207: an authorization response names its issuer, which prevents mix-up attacks. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { type AuthorizationServer, validateAuthResponse } from 'oauth4webapi';
import { startOAuthTestApp } from '#test/oauth/oauth-test-app.ts';

const office = await startOAuthTestApp({ after });
const agent = await office.client();
const metadata = (await office.get('/.well-known/oauth-authorization-server')).json;
const server = metadata as unknown as AuthorizationServer;

test('a success and an error both carry the issuer, as the metadata promises', async () => {
  assert.equal(metadata['authorization_response_iss_parameter_supported'], true);
  const landed = await office.authorize(office.authorizeUrl(agent.clientId));
  assert.equal(landed.searchParams.get('iss'), office.origin);
  validateAuthResponse(server, { client_id: agent.clientId }, landed, 'a-state');
  const browser = office.browser();
  await browser.open(office.authorizeUrl(agent.clientId, { scope: 'everything' }));
  assert.equal(browser.awayTo()?.searchParams.get('iss'), office.origin);
});

test('a strict client refuses a response of another issuer, without one, and to another request', async () => {
  const landed = await office.authorize(office.authorizeUrl(agent.clientId));
  const client = { client_id: agent.clientId };
  const other = new URL(landed);
  other.searchParams.set('iss', 'https://other.example');
  assert.throws(() => validateAuthResponse(server, client, other, 'a-state'), /iss/);
  const none = new URL(landed);
  none.searchParams.delete('iss');
  assert.throws(() => validateAuthResponse(server, client, none, 'a-state'), /iss/);
  assert.throws(() => validateAuthResponse(server, client, landed, 'another-state'), /state/);
});
