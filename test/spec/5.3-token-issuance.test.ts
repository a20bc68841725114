/** Specification 5 and 5.3: three grants, and four scopes that are granted one by one (PKCE: `test/rfc/7636.test.ts`). */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { SCOPES } from '#platform/scopes.ts';
import {
  buildRefreshGrantForm,
  clientCredentialsForm,
  startOAuthTestApp,
} from '#test/oauth/oauth-test-app.ts';

const testApp = await startOAuthTestApp({ after });
const agent = await testApp.createClient();

test('all three grants give a token at the one endpoint', async () => {
  const byCode = await testApp.requestToken(agent, await testApp.obtainCodeForm(agent));
  assert.equal(byCode.status, 200, byCode.text);
  for (const form of [buildRefreshGrantForm(byCode.json['refresh_token']), clientCredentialsForm]) {
    const { status, json } = await testApp.requestToken(agent, form);
    assert.deepEqual([status, json['token_type']], [200, 'Bearer']);
    assert.ok(await testApp.isTokenAccepted(json['access_token']));
  }
});

test('without a token, or with one that was never given, a protected operation stays shut', async () => {
  for (const authorization of [undefined, 'Bearer invented', 'Basic YTpi'])
    assert.equal((await testApp.requestOrders(authorization)).status, 401, authorization);
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
