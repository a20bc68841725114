/** Clients that never registered: a document at a host that the operator allows describes them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test, { after } from 'node:test';
import { type CleanupScope, runInScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { findFreePorts } from '#test/ports.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import { testKeyring } from '#test/store/engines.ts';
import { assistants, LOOPBACK_REDIRECT } from './assistants.ts';
import { buildCodeForm, startDocumentTestApp } from './document-test-app.ts';
import { generateProofKey, type ProofKey } from './dpop-proof.ts';
import { assertOAuthRefusal, buildRefreshGrantForm, startOAuthTestApp } from './oauth-test-app.ts';
import { openPermissionsByEmail } from './permission-pages.ts';

const { documents, host, testApp, buildUrl, openAuthorization, requestToken, obtainTokens } =
  await startDocumentTestApp(withReverseCleanup({ after }));
const claudeCode = documents.publish('Claude Code', assistants['Claude Code'].document);

test('the documents of well-known assistants are taken; the person is told the host first', async () => {
  for (const [name, { document, redirectUri }] of Object.entries(assistants)) {
    const clientId = documents.publish(name, document);
    const browser = await testApp.openAuthorization(clientId, { redirect_uri: redirectUri });
    assert.match(browser.getPage().text, new RegExp(`<b>${host}</b>`), name);
    const callback = await testApp.authorize(
      testApp.buildAuthorizeUrl(clientId, { redirect_uri: redirectUri }),
    );
    assert.equal(callback.origin + callback.pathname, redirectUri);
    assert.ok(callback.searchParams.get('code'), name);
  }
});

test('the consent page names the host as who asks, and what the program calls itself as no more than that', async () => {
  const browser = testApp.openBrowser();
  await browser.open(buildUrl(claudeCode));
  await browser.submitForm('address', { address: `${randomUUID()}@example.com` });
  const { text } = await testApp.submitCode(browser);
  assert.match(text, new RegExp(`Let ${host} act for you\\?`));
  assert.match(
    text,
    new RegExp(`calls itself “Claude Code” and did not register .* only that ${host} describes it`),
  );
  assert.match(text, /Allow this only if you have just started it yourself/);
  await assertValidHtml(text, 'consent for a client that did not register');
});

test('tokens last ten minutes, refresh tokens are for one use, and without the tick no address is told', async () => {
  const first = await obtainTokens(claudeCode);
  assert.equal(first.expires_in, 600);
  assert.ok(await testApp.isTokenAccepted(first.access_token));
  const claims = await testApp.getClaims(first.access_token);
  assert.equal(claims.json['client_id'], claudeCode);
  assert.doesNotMatch(claims.text, /@example\.com|"email/);
  const second = await requestToken(claudeCode, buildRefreshGrantForm(first.refresh_token));
  assert.notEqual(second.json['refresh_token'], first.refresh_token);
  const replay = await requestToken(claudeCode, buildRefreshGrantForm(first.refresh_token));
  assertOAuthRefusal(replay, 400, 'invalid_grant');
  const ended = await testApp.requestOrders(`Bearer ${second.json['access_token']}`);
  assert.equal(ended.status, 401, 'a replay ends everything');
});

test('such a client acts for people alone, with PKCE, and has no secret', async () => {
  const itself = await requestToken(claudeCode, { grant_type: 'client_credentials' });
  assertOAuthRefusal(itself, 400, 'unauthorized_client');
  const unproven = { redirect_uri: LOOPBACK_REDIRECT, code_challenge: null };
  assert.equal(await testApp.readAuthorizationError(claudeCode, unproven), 'invalid_request');
  const { refresh_token } = await obtainTokens(claudeCode);
  const form = buildRefreshGrantForm(refresh_token);
  for (const clientSecret of ['undefined', 'secret', '']) {
    await testApp.assertRefused({ clientId: claudeCode, clientSecret }, form, 'invalid_client');
    if (clientSecret === '') continue;
    const byForm = await requestToken(claudeCode, { ...form, client_secret: clientSecret });
    assertOAuthRefusal(byForm, 401, 'invalid_client');
  }
  assert.equal((await requestToken(claudeCode, buildRefreshGrantForm(refresh_token))).status, 200);
});

test('of such a client a refresh token is bound to the key that it was issued with', async () => {
  const [own, thief] = [await generateProofKey(), await generateProofKey()];
  const endpoint = { htm: 'POST', htu: `${testApp.origin}/oauth2/token` };
  const requestWithKey = async (form: Record<string, string>, { createProof }: ProofKey) =>
    await requestToken(claudeCode, form, testApp, { dpop: await createProof(endpoint) });
  const url = buildUrl(claudeCode);
  const { json } = await requestWithKey(buildCodeForm(await testApp.authorize(url)), own);
  assert.equal(json['token_type'], 'DPoP');
  const form = buildRefreshGrantForm(String(json['refresh_token']));
  assertOAuthRefusal(await requestToken(claudeCode, form), 400, 'invalid_grant');
  assertOAuthRefusal(await requestWithKey(form, thief), 400, 'invalid_grant');
  const next = await requestWithKey(form, own);
  assert.equal(next.json['token_type'], 'DPoP', next.text);
});

test('a person sees the host among the permissions, and ends it', async () => {
  const address = `${randomUUID()}@example.com`;
  const url = buildUrl(claudeCode);
  const callback = await testApp.authorize(url, { address });
  const { json } = await requestToken(claudeCode, buildCodeForm(callback));
  const page = await openPermissionsByEmail(testApp, address);
  assert.match(page.getPage().text, new RegExp(host));
  await page.submitForm('confirm');
  await page.submitForm('end');
  assert.equal((await testApp.requestOrders(`Bearer ${json['access_token']}`)).status, 401);
});

test('a registered client is never taken without its secret, whatever else is allowed', async () => {
  const { clientId } = await testApp.createClient();
  const answer = await requestToken(clientId, { grant_type: 'client_credentials' });
  assertOAuthRefusal(answer, 401, 'invalid_client');
});

test('the metadata says that documents are taken only where a host is allowed, and so says auth.md', async (t) => {
  const strict = await startOAuthTestApp(t);
  const path = '/.well-known/oauth-authorization-server';
  const { json: open } = await testApp.get(path);
  const { json: closed } = await strict.get(path);
  const secrets = ['client_secret_basic', 'client_secret_post'];
  assert.equal(open['client_id_metadata_document_supported'], true);
  assert.deepEqual(open['token_endpoint_auth_methods_supported'], [...secrets, 'none']);
  assert.deepEqual(open['revocation_endpoint_auth_methods_supported'], [...secrets, 'none']);
  assert.ok(!('client_id_metadata_document_supported' in closed));
  assert.deepEqual(closed['token_endpoint_auth_methods_supported'], secrets);
  assert.deepEqual(closed['revocation_endpoint_auth_methods_supported'], secrets);
  assert.match((await testApp.get('/auth.md')).text, /"client_id_metadata_document_supported": true/);
});

test('where its host is not allowed, a client is refused with a sentence, and nothing is fetched', async (t) => {
  const strict = await startOAuthTestApp(t);
  const fetched = documents.received.length;
  for (const [app, clientId] of [
    [strict, claudeCode],
    [testApp, 'https://other.example/oauth/client.json'],
    [testApp, 'https://localhost.other.example/oauth/client.json'],
    [testApp, 'https://localhost/oauth/client.json'],
    // The engine accepts the scheme in any letter case, so such an address must not escape the list of hosts.
    [strict, claudeCode.replace('https:', 'HTTPS:')],
    [testApp, 'hTTps://other.example/oauth/client.json'],
    [testApp, `${claudeCode}?${'x'.repeat(1_000)}`],
  ] as const) {
    const { status, text, headers } = await openAuthorization(clientId, app);
    assert.deepEqual([status, headers['location']], [400, undefined]);
    assert.match(
      text,
      new RegExp(
        `takes no clients that ${new URL(clientId).host} describes; register at ${app.origin}/auth\\.md`,
      ),
    );
    await assertValidHtml(text, clientId);
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    assertOAuthRefusal(await requestToken(clientId, form, app), 401, 'invalid_client');
    await app.assertRefused({ clientId, clientSecret: 'secret' }, form, 'invalid_client');
  }
  assert.equal(documents.received.length, fetched);
});

/** Starts instances one after the other, on the same records and address. */
async function prepareInstances(t: CleanupScope) {
  const dataDir = await createDataFolder(t);
  const [port = 0] = await findFreePorts(1);
  return async (scope: CleanupScope, hosts: string) => {
    const env = { PORT: String(port), DATA_DIR: dataDir, CLIENT_DOCUMENT_HOSTS: hosts };
    return await startOAuthTestApp(scope, { keyring: testKeyring, env });
  };
}

/** Begins a sign-in at an instance that then ends. */
const beginSignIn = async (start: Awaited<ReturnType<typeof prepareInstances>>) =>
  await runInScope(async (scope) => {
    const app = await start(scope, host);
    return await app.openAuthorization(claudeCode, { redirect_uri: LOOPBACK_REDIRECT });
  });

test('a sign-in goes on at another instance, which reads the document itself', async (t) => {
  const start = await prepareInstances(t);
  const browser = await beginSignIn(start);
  await runInScope(async (scope) => {
    const { submitCode } = await start(scope, host);
    await browser.submitForm('address', { address: `${randomUUID()}@example.com` });
    await submitCode(browser);
    await browser.submitForm('consent');
    assert.ok(browser.getExternalRedirect()?.searchParams.get('code'), browser.getPage().text);
  });
});

test('a sign-in whose document cannot be read now is not over', async (t) => {
  t.after(documents.answerAsPublished);
  const start = await prepareInstances(t);
  const browser = await beginSignIn(start);
  await runInScope(async (scope) => {
    const app = await start(scope, host);
    documents.answerWith((response) => void response.writeHead(500).end());
    const [, page = ''] = /action="([^"]+)\/address"/.exec(browser.getPage().text) ?? [];
    const { status, headers, text } = await browser.open(page);
    assert.deepEqual([status, headers['retry-after']], [503, '5'], text);
    const refused = await openAuthorization(claudeCode, app);
    assert.match(refused.text, /We could not check the program/);
    documents.answerAsPublished();
    await browser.open(page);
    await browser.submitForm('address', { address: `${randomUUID()}@example.com` });
    assert.match(browser.getPage().text, /name="code"/);
  });
});

test('an address that is taken from the document ends its sign-ins and codes, and gets no redirect', async (t) => {
  const start = await prepareInstances(t);
  const [kept, removed] = ['https://agent.example/kept', 'https://agent.example/removed'];
  const clientId = documents.publish('Moving', {
    ...assistants.opencode.document,
    redirect_uris: [kept, removed],
  });
  const [browser, callback] = await runInScope(async (scope) => {
    const app = await start(scope, host);
    const url = app.buildAuthorizeUrl(clientId, { redirect_uri: removed });
    return [await app.openAuthorization(clientId, { redirect_uri: removed }), await app.authorize(url)];
  });
  documents.publish('Moving', { ...assistants.opencode.document, redirect_uris: [kept] });
  await runInScope(async (scope) => {
    const app = await start(scope, host);
    const over = await browser.submitForm('address', { address: `${randomUUID()}@example.com` });
    assert.equal(over.status, 403);
    assert.match(over.text, /This sign-in is over/);
    const form = { ...buildCodeForm(callback), redirect_uri: removed };
    const refused = await requestToken(clientId, form, app);
    assertOAuthRefusal(refused, 400, 'invalid_grant');
    assert.match(refused.text, /the redirect address was taken from the client/);
    const again = await app.openAuthorization(clientId, { redirect_uri: removed });
    assert.equal(again.getExternalRedirect(), null);
    assert.match(again.getPage().text, /invalid_redirect_uri/);
  });
});

test('a host that is taken from the list ends its tokens at the next request; one that is away ends none', async (t) => {
  const start = await prepareInstances(t);
  const tokens = await runInScope(async (scope) => await obtainTokens(claudeCode, await start(scope, host)));
  await runInScope(async (scope) => {
    const app = await start(scope, host);
    documents.answerWith((response) => void response.writeHead(500).end());
    const away = await requestToken(claudeCode, buildRefreshGrantForm(tokens.refresh_token), app);
    documents.answerAsPublished();
    assertOAuthRefusal(away, 503, 'temporarily_unavailable');
    assert.equal((await app.requestOrders(`Bearer ${tokens.access_token}`)).status, 200);
  });
  await runInScope(async (scope) => {
    const app = await start(scope, '');
    assert.equal((await app.requestOrders(`Bearer ${tokens.access_token}`)).status, 401);
    const refused = await requestToken(claudeCode, buildRefreshGrantForm(tokens.refresh_token), app);
    assertOAuthRefusal(refused, 401, 'invalid_client');
  });
  await runInScope(async (scope) => {
    const app = await start(scope, host);
    const again = await requestToken(claudeCode, buildRefreshGrantForm(tokens.refresh_token), app);
    assert.equal(again.status, 200, again.text);
  });
});
