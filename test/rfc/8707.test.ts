/** RFC 8707: resource indicators. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import {
  assertOAuthRefusal,
  buildCodeGrantForm,
  buildRefreshGrantForm,
  clientCredentialsForm,
  startOAuthTestApp,
} from '#test/oauth/oauth-test-app.ts';

const testApp = await startOAuthTestApp({ after });
const { origin } = testApp;
const agent = await testApp.createClient();

test('the site and the API are both resources, with or without a trailing slash, and yield the same token', async () => {
  for (const resource of [origin, `${origin}/`, `${origin}/api`, `${origin}/api/`]) {
    const { status, json } = await testApp.requestToken(agent, { ...clientCredentialsForm, resource });
    assert.equal(status, 200);
    assert.equal((await testApp.requestOrders(`Bearer ${json['access_token']}`)).status, 200, resource);
  }
});

test('an unknown resource is refused at the token endpoint, before sign-in, and when a code or token is used', async () => {
  for (const resource of [
    'https://elsewhere.example',
    `${origin}/other`,
    'not-an-address',
    `${origin}#part`,
  ]) {
    assertOAuthRefusal(
      await testApp.requestToken(agent, { ...clientCredentialsForm, resource }),
      400,
      'invalid_target',
    );
    const browser = testApp.openBrowser();
    await browser.open(testApp.buildAuthorizeUrl(agent.clientId, { resource }));
    assert.equal(browser.getExternalRedirect()?.searchParams.get('error'), 'invalid_target');
  }
  const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId, { resource: origin }));
  const form = {
    ...buildCodeGrantForm(callback.searchParams.get('code') ?? ''),
    resource: 'https://elsewhere.example',
  };
  assertOAuthRefusal(await testApp.requestToken(agent, form), 400, 'invalid_target');
});

test('a resource named at the start need not be named again', async () => {
  const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId, { resource: origin }));
  const first = await testApp.requestToken(
    agent,
    buildCodeGrantForm(callback.searchParams.get('code') ?? ''),
  );
  assert.equal(first.status, 200, first.text);
  const next = await testApp.requestToken(agent, {
    ...buildRefreshGrantForm(String(first.json['refresh_token'])),
    resource: origin,
  });
  assert.equal(next.status, 200, next.text);
  assert.equal((await testApp.requestOrders(`Bearer ${next.json['access_token']}`)).status, 200);
});
