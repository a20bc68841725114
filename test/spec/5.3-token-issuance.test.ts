/** Specification 5.3: three grants, PKCE by S256 for one of them, and four scopes that are granted one by one. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { SCOPES } from '#platform/scopes.ts';
import {
  buildCodeGrantForm,
  buildRefreshGrantForm,
  clientCredentialsForm,
  startOAuthTestApp,
} from '#test/oauth/oauth-test-app.ts';

const testApp = await startOAuthTestApp({ after });
const agent = await testApp.createClient();

test('all three grants give a token at the one endpoint', async () => {
  const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId));
  const byCode = await testApp.requestToken(
    agent,
    buildCodeGrantForm(callback.searchParams.get('code') ?? ''),
  );
  assert.equal(byCode.status, 200, byCode.text);
  const refresh = String(byCode.json['refresh_token']);
  for (const form of [buildRefreshGrantForm(refresh), clientCredentialsForm]) {
    const { status, json } = await testApp.requestToken(agent, form);
    assert.equal(status, 200);
    assert.equal((await testApp.requestOrders(`Bearer ${json['access_token']}`)).status, 200);
  }
});

test('any other grant is refused', async () => {
  for (const grant_type of ['password', 'urn:ietf:params:oauth:grant-type:device_code'])
    assert.equal((await testApp.requestToken(agent, { grant_type })).json['error'], 'unsupported_grant_type');
});

test('no code without a challenge by S256', async () => {
  for (const changes of [
    { code_challenge: null, code_challenge_method: null },
    { code_challenge_method: 'plain' },
    { code_challenge_method: null },
  ]) {
    const browser = testApp.openBrowser();
    await browser.open(testApp.buildAuthorizeUrl(agent.clientId, changes));
    assert.equal(browser.getExternalRedirect()?.searchParams.get('error'), 'invalid_request');
  }
});

test('each scope is given alone, and opens what is its own', async () => {
  for (const scope of SCOPES) {
    const { json } = await testApp.requestToken(agent, { ...clientCredentialsForm, scope });
    assert.equal(json['scope'], scope);
    const headers = { authorization: `Bearer ${json['access_token']}` };
    const ask = async (path: string) => (await testApp.get(`/api${path}`, { headers })).status;
    assert.equal(await ask('/pricing'), scope === 'pricing:read' ? 200 : 403, scope);
    assert.equal(await ask('/cases'), scope === 'case:read' ? 200 : 403, scope);
    assert.equal(await ask('/orders'), scope === 'case:write' ? 200 : 403, scope);
    const contact = await testApp.get('/api/contact', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ plain: { topic: 'press', message: 'May we write about you?' } }),
    });
    assert.equal(contact.status, scope === 'contact:write' ? 202 : 403, scope);
  }
});
