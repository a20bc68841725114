/** RFC 8707: resource indicators. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  assertOAuthRefusal,
  buildCodeGrantForm,
  buildRefreshGrantForm,
  clientCredentialsForm,
} from '#test/oauth/oauth-test-app.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const { origin } = testApp;
const agent = await testApp.createClient();

test('the site and the API are both resources, with or without a trailing slash, and yield the same token', async () => {
  for (const resource of [origin, `${origin}/`, `${origin}/api`, `${origin}/api/`]) {
    const { status, json } = await testApp.requestToken(agent, { ...clientCredentialsForm, resource });
    assert.equal(status, 200);
    assert.equal((await testApp.requestOrders(`Bearer ${json['access_token']}`)).status, 200, resource);
  }
});

const spellings = [
  origin,
  `${origin}/`,
  `${origin}/api`,
  `${origin}/api/`,
  `${origin.toUpperCase()}/api`,
  `${origin}/mcp`,
];

test('a code and a refresh token for one name of the resource are good for every other', async () => {
  let refreshToken = '';
  for (const [index, asked] of spellings.entries()) {
    const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId, { resource: asked }));
    const resource = spellings.at(index - 1) ?? '';
    const code = { ...buildCodeGrantForm(callback.searchParams.get('code') ?? ''), resource };
    const first = await testApp.requestToken(agent, code);
    assert.equal(first.status, 200, `${asked} then ${resource}: ${first.text}`);
    refreshToken = String(first.json['refresh_token']);
    for (const later of [spellings.at(index - 2) ?? '', resource]) {
      const form = { ...buildRefreshGrantForm(refreshToken), resource: later };
      const next = await testApp.requestToken(agent, form);
      assert.equal(next.status, 200, `${asked} then ${later}: ${next.text}`);
      refreshToken = String(next.json['refresh_token']);
      assert.equal((await testApp.requestOrders(`Bearer ${next.json['access_token']}`)).status, 200);
    }
  }
  const { scope } = (await testApp.requestToken(agent, buildRefreshGrantForm(refreshToken))).json;
  assert.equal(scope, 'case:read case:write');
});

test('the same resource named twice is one, and with a foreign one none', async () => {
  const askFor = (...resources: string[]) => {
    const url = new URL(testApp.buildAuthorizeUrl(agent.clientId));
    for (const resource of resources) url.searchParams.append('resource', resource);
    return url.href;
  };
  const callback = await testApp.authorize(askFor(...spellings));
  const code = buildCodeGrantForm(callback.searchParams.get('code') ?? '');
  const { status, json } = await testApp.requestToken(agent, code);
  assert.deepEqual([status, json['scope']], [200, 'case:read case:write']);
  const browser = testApp.openBrowser();
  await browser.open(askFor(origin, 'https://elsewhere.example'));
  assert.equal(browser.getExternalRedirect()?.searchParams.get('error'), 'invalid_target');
});

test('what an earlier version stored for another name of the resource still refreshes', async () => {
  const { refresh_token: stored } = await testApp.obtainTokens(agent);
  await replaceStoredResources(`${origin}/`);
  const form = { ...buildRefreshGrantForm(stored), resource: `${origin}/api` };
  const next = await testApp.requestToken(agent, form);
  assert.equal(next.status, 200, next.text);
  assert.equal((await testApp.requestOrders(`Bearer ${next.json['access_token']}`)).status, 200);
});

/** Stores them as they were while each name was a resource of its own. */
async function replaceStoredResources(name: string): Promise<void> {
  const { records } = testApp.store;
  const rows = await records.selectFrom('tokens').select(['id', 'payload']).execute();
  for (const { id, payload } of rows.filter((row) => row.payload.includes(`${origin}/api`)))
    await records
      .updateTable('tokens')
      .set({ payload: payload.replaceAll(`"${origin}/api"`, JSON.stringify(name)) })
      .where('id', '=', id)
      .execute();
}

test('an unknown resource is refused at the token endpoint, before sign-in, and when a code or token is used', async () => {
  for (const resource of [
    'https://elsewhere.example',
    `${origin}/other`,
    'not-an-address',
    `${origin}#part`,
    `${origin}/api#`,
    `${origin}/api?`,
    `${origin}//api`,
    `${origin}/mcp/server-card`,
    origin.replace('https://', 'https://someone@'),
    origin.replace('https:', 'http:'),
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
