/** RFC 8707: resource indicators. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  buildCodeGrantForm,
  buildRefreshGrantForm,
  clientCredentialsForm,
} from '#test/oauth/oauth-test-app.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const { origin, requestToken, assertRefused, obtainCodeForm, isTokenAccepted } = testApp;
const agent = await testApp.createClient();

const spellings = [
  origin,
  `${origin}/`,
  `${origin}/api`,
  `${origin}/api/`,
  `${origin.toUpperCase()}/api`,
  `${origin}/mcp`,
];

async function requestTokens(form: Record<string, string>, what?: string) {
  const { status, json, text } = await requestToken(agent, form);
  assert.equal(status, 200, `${what}: ${text}`);
  assert.ok(await isTokenAccepted(json['access_token']), what);
  return json;
}

test('the site and the API are both resources, however they are spelt, and yield the same token', async () => {
  for (const resource of spellings) await requestTokens({ ...clientCredentialsForm, resource }, resource);
});

test('a code and a refresh token for one name of the resource are good for every other, and for none', async () => {
  for (const [index, asked] of spellings.entries()) {
    const resource = spellings.at(index - 1) ?? '';
    const form = await obtainCodeForm(agent, { resource: asked });
    let tokens = await requestTokens({ ...form, resource }, `${asked} then ${resource}`);
    for (const later of [spellings.at(index - 2) ?? '', resource]) {
      const refresh = { ...buildRefreshGrantForm(tokens['refresh_token']), resource: later };
      tokens = await requestTokens(refresh, `${asked} then ${later}`);
    }
    const { scope } = await requestTokens(buildRefreshGrantForm(tokens['refresh_token']));
    assert.equal(scope, 'case:read case:write');
  }
  const { refresh_token } = await requestTokens(await obtainCodeForm(agent, { resource: origin }));
  await requestTokens({ ...buildRefreshGrantForm(refresh_token), resource: origin });
});

test('the same resource named twice is one, and with a foreign one none', async () => {
  const askFor = (...resources: string[]) => {
    const url = new URL(testApp.buildAuthorizeUrl(agent.clientId));
    for (const resource of resources) url.searchParams.append('resource', resource);
    return url.href;
  };
  const code = buildCodeGrantForm(await testApp.authorize(askFor(...spellings)));
  assert.equal((await requestTokens(code))['scope'], 'case:read case:write');
  const browser = testApp.openBrowser();
  await browser.open(askFor(origin, 'https://elsewhere.example'));
  assert.equal(browser.getExternalRedirect()?.searchParams.get('error'), 'invalid_target');
});

test('what an earlier version stored for another name of the resource still refreshes', async () => {
  const { refresh_token } = await testApp.obtainTokens(agent);
  await replaceStoredResources(`${origin}/`);
  await requestTokens({ ...buildRefreshGrantForm(refresh_token), resource: `${origin}/api` });
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
  const elsewhere = 'https://elsewhere.example';
  for (const resource of [
    elsewhere,
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
    await assertRefused(agent, { ...clientCredentialsForm, resource }, 'invalid_target');
    assert.equal(await testApp.readAuthorizationError(agent.clientId, { resource }), 'invalid_target');
  }
  const form = await obtainCodeForm(agent, { resource: origin });
  await assertRefused(agent, { ...form, resource: elsewhere }, 'invalid_target');
});
