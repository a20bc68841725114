/** Specification 5.4: a token is revoked, and its claims are read, at the addresses of the metadata. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { formatBasic, postForm, startOAuthTestApp } from '#test/oauth/oauth-test-app.ts';

const testApp = await startOAuthTestApp({ after });
const agent = await testApp.createClient();
const { json: metadata } = await testApp.get('/.well-known/oauth-authorization-server');
const { claims_endpoint, revocation_uri } = metadata['agent_auth'] as Record<string, string>;

const readClaims = async (token: string) =>
  await testApp.get(new URL(claims_endpoint ?? '').pathname, {
    headers: { authorization: `Bearer ${token}` },
  });

test('the claims tell who the token is for, until it is revoked', async () => {
  const { access_token } = await testApp.obtainTokens(agent, {
    address: 'someone@example.com',
    sharesEmail: true,
  });
  const { status, json } = await readClaims(access_token);
  assert.deepEqual([status, json['email'], json['client_id']], [200, 'someone@example.com', agent.clientId]);

  const { pathname } = new URL(revocation_uri ?? '');
  const client = { authorization: formatBasic(agent) };
  const revoked = await postForm(testApp.get, pathname, { token: access_token }, client);
  assert.equal(revoked.status, 200, revoked.text);
  assert.equal((await readClaims(access_token)).status, 401);
  assert.equal((await testApp.requestOrders(`Bearer ${access_token}`)).status, 401);
});
