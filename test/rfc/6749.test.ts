/** RFC 6749: the three grants and their errors, as our configuration and store decide them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { hashSecret } from '#clients/clients.ts';
import { updateClient } from '#store/clients/clients.ts';
import {
  assertOAuthRefusal,
  buildRefreshGrantForm,
  CALLBACK_URL,
  clientCredentialsForm,
  postForm,
} from '#test/oauth/oauth-test-app.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const { requestToken, assertRefused, obtainCodeForm, obtainTokens, isTokenAccepted } = testApp;
const agent = await testApp.createClient();
const narrow = await testApp.createClient({
  scopes: ['pricing:read'],
  grants: ['client_credentials'],
  redirectUris: [],
});

const toMockTimers = (ms: number) => ({ apis: ['Date' as const], now: Date.now() + ms });

test('a client gets an opaque token for ten minutes, with all its scopes when it names none', async () => {
  const answer = await requestToken(agent, clientCredentialsForm);
  assert.equal(answer.status, 200, answer.text);
  const { access_token, ...rest } = answer.json;
  assert.deepEqual(rest, {
    token_type: 'Bearer',
    expires_in: 600,
    scope: 'case:read case:write contact:write pricing:read',
  });
  assert.match(String(access_token), /^[\w-]{43}$/);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.ok(await isTokenAccepted(access_token));
});

test('an authorization without a scope asks for the client’s scopes', async () => {
  const { json } = await requestToken(agent, await obtainCodeForm(agent, { scope: null }));
  assert.equal(json['scope'], 'case:read case:write contact:write pricing:read');
});

test('a refresh may narrow the scopes, never widen them', async () => {
  const { refresh_token } = await obtainTokens(agent);
  const { json } = await requestToken(agent, { ...buildRefreshGrantForm(refresh_token), scope: 'case:read' });
  assert.equal(json['scope'], 'case:read');
  const wider = { ...buildRefreshGrantForm(json['refresh_token']), scope: 'case:read pricing:read' };
  await assertRefused(agent, wider, 'invalid_scope');
});

test('a client authenticates by header or by form, but not by both and not by neither', async () => {
  const { clientId: client_id, clientSecret: client_secret } = agent;
  const requestTokenByForm = (form: Record<string, string>) =>
    postForm(testApp.get, '/oauth2/token', { ...clientCredentialsForm, ...form });
  assert.equal((await requestTokenByForm({ client_id, client_secret })).status, 200);
  await assertRefused(agent, { ...clientCredentialsForm, client_id, client_secret }, 'invalid_request');
  for (const form of [{}, { client_id }])
    assertOAuthRefusal(await requestTokenByForm(form), 401, 'invalid_client');
});

test('a client that fails to authenticate by header is told so, however wrong the header is', async () => {
  for (const authorization of [
    'Basic',
    'Basic !',
    `Basic ${btoa('no colon')}`,
    `Basic ${btoa(`${agent.clientId}:`)}`,
    `Basic ${btoa(`${agent.clientId}:%`)}`,
    `Bearer ${agent.clientSecret}`,
  ])
    await assertRefused(agent, clientCredentialsForm, 'invalid_client', { authorization });
});

test('a wrong secret, the stored hash of the right one and an unknown client get the same error', async () => {
  for (const client of [
    { ...agent, clientSecret: 'wrong' },
    { ...agent, clientSecret: hashSecret(agent.clientSecret) },
    { clientId: 'unknown', clientSecret: agent.clientSecret },
  ]) {
    const { json } = await assertRefused(client, clientCredentialsForm, 'invalid_client');
    assert.equal(json['error_description'], 'client authentication failed');
  }
});

test('a suspended client gets no token, and its tokens stop working at once', async () => {
  const client = await testApp.createClient();
  const { json } = await requestToken(client, clientCredentialsForm);
  await updateClient(testApp.store.records, client.clientId, { status: 'suspended' });
  await assertRefused(client, clientCredentialsForm, 'invalid_client');
  assert.ok(!(await isTokenAccepted(json['access_token'])));
  await updateClient(testApp.store.records, client.clientId, { status: 'active' });
  assert.ok(await isTokenAccepted(json['access_token']));
});

test('an unknown scope and one that the client may not have are refused, not dropped', async () => {
  for (const scope of [
    'everything',
    'case:read everything',
    'openid',
    'offline_access',
    'case:read  case:write',
  ])
    await assertRefused(agent, { ...clientCredentialsForm, scope }, 'invalid_scope');
  const form = { ...clientCredentialsForm, scope: 'case:read' };
  const { json } = await assertRefused(narrow, form, 'invalid_scope');
  assert.match(String(json['error_description']), /the maintainer grants scopes/);
  for (const scope of ['everything', 'openid case:read'])
    assert.equal(await testApp.readAuthorizationError(agent.clientId, { scope }), 'invalid_scope', scope);
});

test('an unknown grant type, or one that the client may not use, is refused', async () => {
  for (const grant_type of ['password', 'urn:ietf:params:oauth:grant-type:device_code'])
    await assertRefused(agent, { grant_type }, 'unsupported_grant_type');
  await assertRefused(narrow, buildRefreshGrantForm('x'), 'unauthorized_client');
  await assertRefused(agent, {}, 'invalid_request');
  const browser = await testApp.openAuthorization(narrow.clientId);
  assert.deepEqual([browser.getPage().status, browser.getExternalRedirect()], [400, null]);
});

test('a response type other than code is reported to the client as an error', async () => {
  for (const response_type of ['token', 'id_token', 'code id_token']) {
    const browser = await testApp.openAuthorization(agent.clientId, { response_type });
    const { hash, searchParams } = browser.getExternalRedirect() ?? new URL(CALLBACK_URL);
    const error = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error');
    assert.equal(error, 'unsupported_response_type');
  }
});

test('a code is valid for its client, its redirect URI and one minute', async (t) => {
  const assertUseless = async (client: typeof agent, form: Record<string, string>, why: RegExp) => {
    const { json } = await assertRefused(client, form, 'invalid_grant');
    assert.match(String(json['error_description']), why);
  };
  const other = await testApp.createClient();
  await assertUseless(other, await obtainCodeForm(agent), /^the code is unknown, .* or another client's$/);
  const elsewhere = { ...(await obtainCodeForm(agent)), redirect_uri: `${CALLBACK_URL}/` };
  await assertUseless(agent, elsewhere, /^redirect_uri is not the one of the authorization request$/);
  const form = await obtainCodeForm(agent);
  t.mock.timers.enable(toMockTimers(61_000 + 15_000));
  await assertUseless(agent, form, /^the code is unknown, expired/);
});

test('an access token expires after ten minutes, a refresh token after thirty days without use', async (t) => {
  const { access_token, refresh_token } = await obtainTokens(agent);
  t.mock.timers.enable(toMockTimers(599_000));
  assert.ok(await isTokenAccepted(access_token));
  t.mock.timers.tick(1_000);
  assert.ok(!(await isTokenAccepted(access_token)));
  t.mock.timers.tick(29 * 86_400_000);
  const next = await requestToken(agent, buildRefreshGrantForm(refresh_token));
  assert.equal(next.status, 200, next.text);
  t.mock.timers.tick(30 * 86_400_000 + 16_000);
  await assertRefused(agent, buildRefreshGrantForm(next.json['refresh_token']), 'invalid_grant');
});

test('a refresh token of another client, and garbage, are refused', async () => {
  const { refresh_token } = await obtainTokens(agent);
  const other = await testApp.createClient();
  await assertRefused(other, buildRefreshGrantForm(refresh_token), 'invalid_grant');
  const { json } = await assertRefused(agent, buildRefreshGrantForm('garbage'), 'invalid_grant');
  assert.match(String(json['error_description']), /^the refresh token is unknown, expired, revoked/);
});

test('a person who declines sends the client an error, with its state', async () => {
  const browser = await testApp.openAuthorization(agent.clientId);
  await browser.submitForm('cancel');
  const { searchParams } = browser.getExternalRedirect()!;
  assert.deepEqual(
    ['error', 'state', 'iss'].map((name) => searchParams.get(name)),
    ['access_denied', 'a-state', testApp.origin],
  );
});

test('errors have the form of RFC 6749, even for a client that accepts HTML, and other content types are refused', async () => {
  const page = { accept: 'text/html' };
  await assertRefused(agent, { grant_type: 'password' }, 'unsupported_grant_type', page);
  const json = { 'content-type': 'application/json' };
  await assertRefused(agent, clientCredentialsForm, 'invalid_request', json);
});

test('no secret, token or code is stored in plain', async () => {
  const { code = '' } = await obtainCodeForm(agent);
  const { access_token, refresh_token } = await obtainTokens(agent, { address: 'canary@example.com' });
  const rows = await Promise.all(
    (['tokens', 'clients', 'users', 'sign_in_codes', 'outbox', 'kept_secrets'] as const).map((table) =>
      testApp.store.records.selectFrom(table).selectAll().execute(),
    ),
  );
  const text = JSON.stringify(rows);
  const raw = rows.flat().flatMap((row) => Object.values(row).filter((value) => value instanceof Uint8Array));
  for (const secret of [code, access_token, refresh_token, agent.clientSecret, 'canary', '"d":']) {
    assert.ok(!text.includes(secret));
    for (const bytes of raw) assert.ok(!Buffer.from(bytes).includes(secret));
  }
  assert.ok(!testApp.readLog().includes('canary') && !testApp.readLog().includes(access_token));
});
