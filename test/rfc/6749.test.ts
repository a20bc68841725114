/** RFC 6749: the three grants and their errors, as our configuration and store decide them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { hashSecret } from '#clients/clients.ts';
import { updateClient } from '#store/clients/clients.ts';
import {
  assertOAuthRefusal,
  buildCodeGrantForm,
  buildRefreshGrantForm,
  CALLBACK_URL,
  clientCredentialsForm,
} from '#test/oauth/oauth-test-app.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const agent = await testApp.createClient();
const narrow = await testApp.createClient({
  scopes: ['pricing:read'],
  grants: ['client_credentials'],
  redirectUris: [],
});

const toMockTimers = (ms: number) => ({ apis: ['Date' as const], now: Date.now() + ms });

test('a client gets an opaque token for ten minutes, with all its scopes when it names none', async () => {
  const answer = await testApp.requestToken(agent, clientCredentialsForm);
  assert.equal(answer.status, 200, answer.text);
  const { access_token, ...rest } = answer.json;
  assert.deepEqual(rest, {
    token_type: 'Bearer',
    expires_in: 600,
    scope: 'case:read case:write contact:write pricing:read',
  });
  assert.match(String(access_token), /^[\w-]{43}$/);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal((await testApp.requestOrders(`Bearer ${access_token}`)).status, 200);
});

test('an authorization without a scope asks for the client’s scopes', async () => {
  const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId, { scope: null }));
  const answer = await testApp.requestToken(
    agent,
    buildCodeGrantForm(callback.searchParams.get('code') ?? ''),
  );
  assert.equal(answer.json['scope'], 'case:read case:write contact:write pricing:read');
});

test('a refresh may narrow the scopes, never widen them', async () => {
  const { refresh_token } = await testApp.obtainTokens(agent);
  const fewer = await testApp.requestToken(agent, {
    ...buildRefreshGrantForm(refresh_token),
    scope: 'case:read',
  });
  assert.equal(fewer.json['scope'], 'case:read');
  const form = {
    ...buildRefreshGrantForm(String(fewer.json['refresh_token'])),
    scope: 'case:read pricing:read',
  };
  assertOAuthRefusal(await testApp.requestToken(agent, form), 400, 'invalid_scope');
});

test('a client authenticates by header or by form, but not by both and not by neither', async () => {
  const { clientId: client_id, clientSecret: client_secret } = agent;
  const requestTokenByForm = (form: Record<string, string>) =>
    testApp.get('/oauth2/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...clientCredentialsForm, ...form }).toString(),
    });
  assert.equal((await requestTokenByForm({ client_id, client_secret })).status, 200);
  assertOAuthRefusal(
    await testApp.requestToken(agent, { ...clientCredentialsForm, client_id, client_secret }),
    400,
    'invalid_request',
  );
  const anonymous = await requestTokenByForm({});
  assertOAuthRefusal(anonymous, 401, 'invalid_client');
  assert.match(anonymous.headers['www-authenticate'] ?? '', /^Basic realm="https:/);
  const withoutSecret = await requestTokenByForm({ client_id });
  assertOAuthRefusal(withoutSecret, 401, 'invalid_client');
  assert.match(withoutSecret.headers['www-authenticate'] ?? '', /^Basic realm="https:/);
});

test('a client that fails to authenticate by header is told so, however wrong the header is', async () => {
  for (const authorization of [
    'Basic',
    'Basic !',
    `Basic ${btoa('no colon')}`,
    `Basic ${btoa(`${agent.clientId}:`)}`,
    `Basic ${btoa(`${agent.clientId}:%`)}`,
    `Bearer ${agent.clientSecret}`,
  ]) {
    const answer = await testApp.requestToken(agent, clientCredentialsForm, { authorization });
    assertOAuthRefusal(answer, 401, 'invalid_client');
    assert.match(answer.headers['www-authenticate'] ?? '', /^Basic realm="https:/);
  }
});

test('a wrong secret, the stored hash of the right one and an unknown client get the same error', async () => {
  for (const client of [
    { ...agent, clientSecret: 'wrong' },
    { ...agent, clientSecret: hashSecret(agent.clientSecret) },
    { clientId: 'unknown', clientSecret: agent.clientSecret },
  ]) {
    const answer = await testApp.requestToken(client, clientCredentialsForm);
    assertOAuthRefusal(answer, 401, 'invalid_client');
    assert.match(answer.headers['www-authenticate'] ?? '', /^Basic realm="https:/);
    assert.equal(answer.json['error_description'], 'client authentication failed');
  }
});

test('a suspended client gets no token, and its tokens stop working at once', async () => {
  const client = await testApp.createClient();
  const { json } = await testApp.requestToken(client, clientCredentialsForm);
  await updateClient(testApp.store.records, client.clientId, { status: 'suspended' });
  assertOAuthRefusal(await testApp.requestToken(client, clientCredentialsForm), 401, 'invalid_client');
  assert.equal((await testApp.requestOrders(`Bearer ${json['access_token']}`)).status, 401);
  await updateClient(testApp.store.records, client.clientId, { status: 'active' });
  assert.equal((await testApp.requestOrders(`Bearer ${json['access_token']}`)).status, 200);
});

test('an unknown scope and one that the client may not have are refused, not dropped', async () => {
  for (const scope of [
    'everything',
    'case:read everything',
    'openid',
    'offline_access',
    'case:read  case:write',
  ])
    assertOAuthRefusal(
      await testApp.requestToken(agent, { ...clientCredentialsForm, scope }),
      400,
      'invalid_scope',
    );
  const refused = await testApp.requestToken(narrow, { ...clientCredentialsForm, scope: 'case:read' });
  assertOAuthRefusal(refused, 400, 'invalid_scope');
  assert.match(String(refused.json['error_description']), /the maintainer grants scopes/);
  for (const scope of ['everything', 'openid case:read']) {
    const browser = testApp.openBrowser();
    await browser.open(testApp.buildAuthorizeUrl(agent.clientId, { scope }));
    assert.equal(browser.getExternalRedirect()?.searchParams.get('error'), 'invalid_scope', scope);
  }
});

test('an unknown grant type, or one that the client may not use, is refused', async () => {
  assertOAuthRefusal(
    await testApp.requestToken(agent, { grant_type: 'password' }),
    400,
    'unsupported_grant_type',
  );
  assertOAuthRefusal(
    await testApp.requestToken(narrow, buildRefreshGrantForm('x')),
    400,
    'unauthorized_client',
  );
  assertOAuthRefusal(await testApp.requestToken(agent, {}), 400, 'invalid_request');
  const browser = testApp.openBrowser();
  const page = await browser.open(testApp.buildAuthorizeUrl(narrow.clientId));
  assert.equal(page.status, 400);
  assert.equal(browser.getExternalRedirect(), null);
});

test('a response type other than code is reported to the client as an error', async () => {
  for (const response_type of ['token', 'id_token', 'code id_token']) {
    const browser = testApp.openBrowser();
    await browser.open(testApp.buildAuthorizeUrl(agent.clientId, { response_type }));
    const { hash, searchParams } = browser.getExternalRedirect() ?? new URL(CALLBACK_URL);
    const error = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error');
    assert.equal(error, 'unsupported_response_type');
  }
});

test('a code is valid for its client, its redirect URI and one minute', async (t) => {
  const other = await testApp.createClient();
  const obtainCodeForm = async () => {
    const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId));
    return buildCodeGrantForm(callback.searchParams.get('code') ?? '');
  };
  const assertRefused = async (client: typeof agent, refused: Record<string, string>, why: RegExp) => {
    const answer = await testApp.requestToken(client, refused);
    assertOAuthRefusal(answer, 400, 'invalid_grant');
    assert.match(String(answer.json['error_description']), why);
  };
  await assertRefused(other, await obtainCodeForm(), /^the code is unknown, .* or another client's$/);
  const elsewhere = { ...(await obtainCodeForm()), redirect_uri: `${CALLBACK_URL}/` };
  await assertRefused(agent, elsewhere, /^redirect_uri is not the one of the authorization request$/);
  const form = await obtainCodeForm();
  t.mock.timers.enable(toMockTimers(61_000 + 15_000));
  await assertRefused(agent, form, /^the code is unknown, expired/);
});

test('an access token expires after ten minutes, a refresh token after thirty days without use', async (t) => {
  const { access_token, refresh_token } = await testApp.obtainTokens(agent);
  t.mock.timers.enable(toMockTimers(599_000));
  assert.equal((await testApp.requestOrders(`Bearer ${access_token}`)).status, 200);
  t.mock.timers.tick(1_000);
  assert.equal((await testApp.requestOrders(`Bearer ${access_token}`)).status, 401);
  t.mock.timers.tick(29 * 86_400_000);
  const next = await testApp.requestToken(agent, buildRefreshGrantForm(refresh_token));
  assert.equal(next.status, 200, next.text);
  t.mock.timers.tick(30 * 86_400_000 + 16_000);
  assertOAuthRefusal(
    await testApp.requestToken(agent, buildRefreshGrantForm(String(next.json['refresh_token']))),
    400,
    'invalid_grant',
  );
});

test('a refresh token of another client, and garbage, are refused', async () => {
  const other = await testApp.createClient();
  const { refresh_token } = await testApp.obtainTokens(agent);
  assertOAuthRefusal(
    await testApp.requestToken(other, buildRefreshGrantForm(refresh_token)),
    400,
    'invalid_grant',
  );
  const garbage = await testApp.requestToken(agent, buildRefreshGrantForm('garbage'));
  assertOAuthRefusal(garbage, 400, 'invalid_grant');
  assert.match(String(garbage.json['error_description']), /^the refresh token is unknown, expired, revoked/);
});

test('a person who declines sends the client an error, with its state', async () => {
  const browser = testApp.openBrowser();
  await browser.open(testApp.buildAuthorizeUrl(agent.clientId));
  await browser.submitForm('cancel');
  const callback = browser.getExternalRedirect();
  assert.equal(callback?.searchParams.get('error'), 'access_denied');
  assert.equal(callback?.searchParams.get('state'), 'a-state');
  assert.equal(callback?.searchParams.get('iss'), testApp.origin);
});

test('errors have the form of RFC 6749, even for a client that accepts HTML, and other content types are refused', async () => {
  const page = { accept: 'text/html' };
  assertOAuthRefusal(
    await testApp.requestToken(agent, { grant_type: 'password' }, page),
    400,
    'unsupported_grant_type',
  );
  const json = { 'content-type': 'application/json' };
  assertOAuthRefusal(await testApp.requestToken(agent, clientCredentialsForm, json), 400, 'invalid_request');
});

test('no secret, token or code is stored in plain', async () => {
  const { access_token, refresh_token } = await testApp.obtainTokens(agent, {
    address: 'canary@example.com',
  });
  const rows = await Promise.all(
    (['tokens', 'clients', 'users', 'sign_in_codes', 'outbox', 'kept_secrets'] as const).map((table) =>
      testApp.store.records.selectFrom(table).selectAll().execute(),
    ),
  );
  const text = JSON.stringify(rows);
  const raw = rows.flat().flatMap((row) => Object.values(row).filter((value) => value instanceof Uint8Array));
  for (const secret of [access_token, refresh_token, agent.clientSecret, 'canary', '"d":']) {
    assert.ok(!text.includes(secret));
    for (const bytes of raw) assert.ok(!Buffer.from(bytes).includes(secret));
  }
  assert.ok(!testApp.readLog().includes('canary') && !testApp.readLog().includes(access_token));
});
