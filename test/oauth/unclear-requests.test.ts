/** Requests that the engine alone would answer wrongly, partly or not at all: each answer says what is wrong. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { browserHeaders } from '#test/site/every-page.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import { CALLBACK_URL, clientCredentialsForm } from './oauth-test-app.ts';
import { testApp } from './shared-test-app.ts';

const { get, origin } = testApp;
const agent = await testApp.createClient();

async function openAuthorization(changes: Record<string, string | null>) {
  const path = testApp.buildAuthorizeUrl(agent.clientId, changes).slice(origin.length);
  return await get(path, { headers: browserHeaders });
}

async function readRedirectedError(changes: Record<string, string | null>): Promise<URLSearchParams> {
  const { status, headers, text } = await openAuthorization(changes);
  assert.equal(status, 303, text);
  const callback = new URL(String(headers['location']));
  assert.equal(callback.origin + callback.pathname, CALLBACK_URL);
  assert.deepEqual(
    [callback.searchParams.get('state'), callback.searchParams.get('iss')],
    ['a-state', origin],
  );
  return callback.searchParams;
}

test('response_mode=form_post is refused on a page of ours that says which modes there are', async () => {
  const { status, headers, text } = await openAuthorization({ response_mode: 'form_post' });
  assert.equal(status, 400);
  assert.equal(headers['location'], undefined);
  assert.match(text, /unsupported_response_mode/);
  assert.match(text, /form_post is not supported; use query or fragment/);
  assert.doesNotMatch(text, /<script>/);
  await assertValidHtml(text, 'a refused response mode');
});

test('a missing response_type is named to the client', async () => {
  const error = await readRedirectedError({ response_type: null });
  assert.equal(error.get('error'), 'invalid_request');
  assert.match(error.get('error_description') ?? '', /'response_type'/);
});

test('offline_access is refused like any other scope that does not exist, with and without a prompt', async () => {
  for (const changes of [
    { scope: 'offline_access case:read' },
    { scope: 'case:read offline_access' },
    { scope: 'offline_access' },
    { scope: 'offline_access case:read', prompt: 'consent' },
  ]) {
    const error = await readRedirectedError(changes);
    assert.deepEqual([error.get('error'), error.get('scope')], ['invalid_scope', 'offline_access']);
  }
});

test('no page of another site may read tokens, and a program that sends an Origin gets its token', async () => {
  for (const headers of [{}, { origin: 'https://page.example' }, { origin: 'null' }] as Record<
    string,
    string
  >[]) {
    const answers = [
      await testApp.requestToken(agent, clientCredentialsForm, headers),
      await testApp.requestToken(agent, { grant_type: 'odd' }, headers),
      await get('/hcgi/platform/api/oauth2/revoke', { method: 'POST', headers }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400, 401],
    );
    for (const answer of answers)
      assert.doesNotMatch(Object.keys(answer.headers).join(' '), /access-control|vary/);
  }
  for (const path of ['/oauth2/token', '/hcgi/platform/api/oauth2/revoke'])
    assert.equal((await get(path, { method: 'OPTIONS' })).status, 405);
});
