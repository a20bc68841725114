/** Strict third-party clients over real HTTPS: discovery, the three grants, DPoP, revocation. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { CALLBACK_URL } from './oauth-test-app.ts';
import { SdkAgent } from './sdk-agent.ts';
import { testApp } from './shared-test-app.ts';

const { origin } = testApp;
const credentials = await testApp.createClient();
const { clientId, clientSecret } = credentials;

test('openid-client: discovery, the code grant, refresh, a call, revocation', async () => {
  const config = await openid.discovery(new URL(origin), clientId, clientSecret, undefined, {
    algorithm: 'oauth2',
  });
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK_URL,
    scope: 'case:read case:write',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  });
  const callback = await testApp.authorize(url.href);
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  const tokens = await openid.authorizationCodeGrant(config, callback, checks);
  assert.ok(tokens.refresh_token);
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token);
  const orders = new URL(`${origin}/api/orders`);
  const answer = await openid.fetchProtectedResource(config, next.access_token, orders, 'GET');
  assert.equal(answer.status, 200);
  await openid.tokenRevocation(config, next.access_token);
  await assert.rejects(openid.fetchProtectedResource(config, next.access_token, orders, 'GET'));
});

test('oauth4webapi: a refusal leads to the metadata, and the metadata to a token', async () => {
  const resource = new URL(`${origin}/api`);
  const described = await oauth.resourceDiscoveryRequest(resource);
  const { authorization_servers = [] } = await oauth.processResourceDiscoveryResponse(resource, described);
  const issuer = new URL(authorization_servers[0] ?? '');
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2' }),
  );
  const client = { client_id: clientId };
  const authentication = oauth.ClientSecretPost(clientSecret);
  const tokenResponse = await oauth.clientCredentialsGrantRequest(server, client, authentication, {
    scope: 'pricing:read',
    resource: resource.href,
  });
  const { access_token, expires_in, scope } = await oauth.processClientCredentialsResponse(
    server,
    client,
    tokenResponse,
  );
  assert.deepEqual([expires_in, scope], [600, 'pricing:read']);
  const pricing = new URL(`${origin}/api/pricing`);
  assert.equal((await oauth.protectedResourceRequest(access_token, 'GET', pricing)).status, 200);
  const refused = oauth.protectedResourceRequest(access_token, 'GET', new URL(`${origin}/api/orders`));
  await assert.rejects(refused, (error: oauth.WWWAuthenticateChallengeError) => {
    const [bearer] = error.cause;
    assert.equal(bearer?.scheme, 'bearer');
    assert.equal(bearer.parameters['error'], 'insufficient_scope');
    assert.equal(bearer.parameters['scope'], 'case:write');
    return true;
  });
  const revoked = await oauth.revocationRequest(server, client, authentication, access_token);
  await oauth.processRevocationResponse(revoked);
  await assert.rejects(oauth.protectedResourceRequest(access_token, 'GET', pricing));
});

test('the MCP SDK: gets tokens from an address alone, and refreshes them after discovery in any other way', async () => {
  const { headers } = await testApp.get('/api/cases');
  const [, challenged = ''] = /resource_metadata="([^"]+)"/.exec(String(headers['www-authenticate'])) ?? [];
  const routes = {
    challenge: { serverUrl: `${origin}/api`, resourceMetadataUrl: new URL(challenged) },
    base: { serverUrl: `${origin}/api` },
    site: { serverUrl: origin },
  };
  for (const [first, ...later] of [
    [routes.base, routes.challenge, routes.site],
    [routes.challenge, routes.base, routes.site],
    [routes.site, routes.challenge, routes.base],
  ] as const) {
    const agent = new SdkAgent(credentials, 'case:read case:write');
    assert.equal(await auth(agent, first), 'REDIRECT');
    const callback = await testApp.authorize(agent.sentTo);
    const authorizationCode = callback.searchParams.get('code') ?? '';
    assert.equal(await auth(agent, { ...first, authorizationCode }), 'AUTHORIZED');
    for (const route of later) {
      const before = agent.kept?.refresh_token;
      assert.equal(await auth(agent, route), 'AUTHORIZED');
      assert.notEqual(agent.kept?.refresh_token, before);
      assert.equal((await testApp.requestOrders(`Bearer ${agent.kept?.access_token}`)).status, 200);
    }
  }
});
