/** Clients that never registered: a document at a host that the operator allows describes them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import test, { after } from 'node:test';
import { type CleanupScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { findFreePorts } from '#test/ports.ts';
import { browserHeaders } from '#test/site/every-page.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import { testKeyring } from '#test/store/engines.ts';
import { startEventReceiver } from '#test/webhooks/receiver.ts';
import { REFUSED_TARGETS, resolveHost } from '#test/webhooks/refused-targets.ts';
import { assistants, LOOPBACK_REDIRECT, startDocumentHost } from './assistants.ts';
import {
  assertOAuthRefusal,
  type OAuthTestApp,
  PKCE_VERIFIER,
  readSignInCode,
  startOAuthTestApp,
} from './oauth-test-app.ts';
import { openPermissionsByEmail } from './permission-pages.ts';

const cleanUp = withReverseCleanup({ after });
const documents = await startDocumentHost(cleanUp);
const { host } = documents;
const allowed = { env: { CLIENT_DOCUMENT_HOSTS: host } };
const testApp = await startOAuthTestApp(cleanUp, allowed);
const claudeCode = documents.publish('Claude Code', assistants['Claude Code'].document);
const { document: good } = assistants.opencode;

async function openAuthorization(
  clientId: string,
  { get, buildAuthorizeUrl, origin }: OAuthTestApp = testApp,
): Promise<HttpsResponse> {
  const url = buildAuthorizeUrl(clientId, { redirect_uri: LOOPBACK_REDIRECT });
  return await get(url.slice(origin.length), { headers: browserHeaders });
}

/** As a public client sends it: with its id and no secret. */
async function requestToken(
  clientId: string,
  fields: Record<string, string>,
  { get }: OAuthTestApp = testApp,
): Promise<HttpsResponse> {
  return await get('/oauth2/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: clientId, ...fields }).toString(),
  });
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

async function obtainTokens(clientId: string, app: OAuthTestApp = testApp): Promise<Tokens> {
  const url = app.buildAuthorizeUrl(clientId, { redirect_uri: LOOPBACK_REDIRECT });
  const callback = await app.authorize(url);
  const { status, json, text } = await requestToken(clientId, buildCodeForm(callback), app);
  assert.equal(status, 200, text);
  return json as unknown as Tokens;
}

function buildCodeForm(callback: URL): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    code: callback.searchParams.get('code') ?? '',
    redirect_uri: LOOPBACK_REDIRECT,
    code_verifier: PKCE_VERIFIER,
  };
}

const buildRefreshForm = (token: string) => ({ grant_type: 'refresh_token', refresh_token: token });

test('the documents of well-known assistants are taken; the person is told the host first', async () => {
  for (const [name, { document, redirectUri }] of Object.entries(assistants)) {
    const clientId = documents.publish(name, document);
    const browser = testApp.openBrowser();
    await browser.open(testApp.buildAuthorizeUrl(clientId, { redirect_uri: redirectUri }));
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
  await browser.open(testApp.buildAuthorizeUrl(claudeCode, { redirect_uri: LOOPBACK_REDIRECT }));
  await browser.submitForm('address', { address: `${randomUUID()}@example.com` });
  const code = readSignInCode((await testApp.readEmails()).at(-1));
  const { text } = await browser.submitForm('code', { code });
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
  assert.equal((await testApp.requestOrders(`Bearer ${first.access_token}`)).status, 200);
  const claims = await testApp.get('/hcgi/platform/api/collections/users/auth-refresh', {
    headers: { authorization: `Bearer ${first.access_token}` },
  });
  assert.equal(claims.json['client_id'], claudeCode);
  assert.doesNotMatch(claims.text, /@example\.com|"email/);
  const second = await requestToken(claudeCode, buildRefreshForm(first.refresh_token));
  assert.notEqual(second.json['refresh_token'], first.refresh_token);
  const replay = await requestToken(claudeCode, buildRefreshForm(first.refresh_token));
  assertOAuthRefusal(replay, 400, 'invalid_grant');
  const ended = await testApp.requestOrders(`Bearer ${second.json['access_token']}`);
  assert.equal(ended.status, 401, 'a replay ends everything');
});

test('such a client acts for people alone, with PKCE, and has no secret', async () => {
  const itself = await requestToken(claudeCode, { grant_type: 'client_credentials' });
  assertOAuthRefusal(itself, 400, 'unauthorized_client');
  const url = testApp.buildAuthorizeUrl(claudeCode, {
    redirect_uri: LOOPBACK_REDIRECT,
    code_challenge: null,
  });
  const browser = testApp.openBrowser();
  await browser.open(url);
  assert.match(browser.getExternalRedirect()?.search ?? '', /error=invalid_request/);
  const { refresh_token } = await obtainTokens(claudeCode);
  const form = buildRefreshForm(refresh_token);
  for (const clientSecret of ['undefined', 'secret', '']) {
    const byHeader = await testApp.requestToken({ clientId: claudeCode, clientSecret }, form);
    assertOAuthRefusal(byHeader, 401, 'invalid_client');
    assert.match(byHeader.headers['www-authenticate'] ?? '', /^Basic realm="https:/);
    if (clientSecret === '') continue;
    const byForm = await requestToken(claudeCode, { ...form, client_secret: clientSecret });
    assertOAuthRefusal(byForm, 401, 'invalid_client');
  }
  assert.equal((await requestToken(claudeCode, buildRefreshForm(refresh_token))).status, 200);
});

test('only an authorization has a document fetched that no person has allowed', async () => {
  const unknown = documents.publish('Unknown', good);
  const fetched = documents.received.length;
  const form = { ...buildRefreshForm('x'), token: 'x' };
  const basic = `Basic ${btoa(`${encodeURIComponent(unknown)}:secret`)}`;
  for (const path of ['/oauth2/token', '/hcgi/platform/api/oauth2/revoke'])
    for (const [headers, fields] of [
      [{}, { client_id: unknown }],
      [{}, { client_id: unknown, client_secret: 'secret' }],
      [{ authorization: basic }, {}],
    ] as const) {
      const answer = await testApp.get(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ ...form, ...fields }).toString(),
      });
      assertOAuthRefusal(answer, 401, 'invalid_client');
      assert.match(answer.headers['www-authenticate'] ?? '', /^Basic realm="https:/);
    }
  assert.equal(documents.received.length, fetched);
  assert.equal((await openAuthorization(unknown)).status, 303);
  assert.equal(documents.received.length, fetched + 1);
});

test('eight documents are fetched at once, and who asks for one more is told to wait', async (t) => {
  const fetched = documents.received.length;
  const waiting: ServerResponse[] = [];
  const allAsked = Promise.withResolvers<void>();
  t.after(documents.answerAsPublished);
  documents.answerWith((response) => {
    if (waiting.push(response) === 8) allAsked.resolve();
  });
  const publishNew = () => documents.publish(randomUUID(), good);
  const first = Array.from({ length: 8 }, () => openAuthorization(publishNew()));
  await Promise.race([allAsked.promise, Promise.all(first)]);
  const refused = await openAuthorization(publishNew());
  assert.equal(refused.status, 503, refused.text);
  assert.match(refused.text, /too many documents are being read/);
  assert.equal(refused.headers['retry-after'], '5');
  assert.equal(documents.received.length, fetched + 8);
  for (const response of waiting) response.writeHead(500).end();
  for (const { status, headers } of await Promise.all(first))
    assert.deepEqual([status, headers['retry-after']], [503, '5']);
  documents.answerAsPublished();
  assert.equal((await openAuthorization(publishNew())).status, 303);
});

test('a person sees the host among the permissions, and ends it', async () => {
  const address = `${randomUUID()}@example.com`;
  const url = testApp.buildAuthorizeUrl(claudeCode, { redirect_uri: LOOPBACK_REDIRECT });
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
    // The engine takes the scheme in any case, and so would an address that no list of hosts is compared with.
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
    const byHeader = await app.requestToken({ clientId, clientSecret: 'secret' }, form);
    assertOAuthRefusal(byHeader, 401, 'invalid_client');
    assert.match(byHeader.headers['www-authenticate'] ?? '', /^Basic realm="https:/);
  }
  assert.equal(documents.received.length, fetched);
});

test('a document that leads inside a network is not fetched, by any spelling, though its host is allowed', async (t) => {
  const loopback = ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'].map(
    (name) => `https://${name}:${documents.port}/oauth/client.json`,
  );
  const targets = [...REFUSED_TARGETS, ...loopback];
  const hosts = targets.map((target) => URL.parse(target)?.host).filter(Boolean);
  const strict = await startOAuthTestApp(t, {
    env: { CLIENT_DOCUMENT_HOSTS: hosts.join(',') },
    resolveHost,
    allowLoopback: false,
  });
  const fetched = documents.received.length;
  for (const target of targets) {
    const { status, text } = await openAuthorization(target, strict);
    assert.match(
      text,
      /invalid_client|could not be read at .*: (The host is not on the public|The name service gave no|The port must be)/,
      target,
    );
    assert.ok(status === 400 || status === 503, `${target}: ${status}`);
  }
  assert.equal(documents.received.length, fetched);
});

test('the connection goes to the very address that was checked', async (t) => {
  const asked: string[] = [];
  const pinned = await startDocumentHost(t, 'pinned.example');
  const app = await startOAuthTestApp(t, {
    env: { CLIENT_DOCUMENT_HOSTS: pinned.host },
    resolveHost: async (name) => {
      asked.push(name);
      return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    },
  });
  const clientId = pinned.publish('Pinned', assistants.opencode.document);
  const { status, text } = await openAuthorization(clientId, app);
  assert.equal(status, 303, text);
  assert.deepEqual([asked, pinned.received.length], [['pinned.example'], 1]);
});

/** What is wrong with a document, and what its author reads about it. */
const FAULTY = {
  'client_id in the document of the client is not': {
    ...good,
    client_id: 'https://other.example/client.json',
  },
  'is no JSON object with client_id and redirect_uris': { ...good, redirect_uris: 'https://a.example/' },
  'does not have none as its token_endpoint_auth_method': {
    ...good,
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['private_key_jwt'],
  },
  'does not have authorization_code in grant_types': { ...good, grant_types: ['client_credentials'] },
  'has no redirect address that is https': {
    ...good,
    redirect_uris: ['cursor://done', 'javascript:alert(1)'],
  },
  'is longer than 5 KiB': { ...good, software_statement: 'x'.repeat(6_000) },
} as const;

test('a document that is wrong is refused with what is wrong about it', async () => {
  for (const [sentence, document] of Object.entries(FAULTY)) {
    const clientId = documents.publish(randomUUID(), document);
    const fetched = documents.received.length;
    const { status, text } = await openAuthorization(clientId);
    assert.equal(status, 400, sentence);
    assert.ok(text.includes(sentence), text);
    assert.equal(documents.received.length, fetched + 1, 'fetched once for each request');
  }
});

test('a document that cannot be read now is no fault of the client, and is looked for in one place alone', async (t) => {
  t.after(documents.answerAsPublished);
  const elsewhere = documents.publish('Elsewhere', good);
  const answers: readonly [reason: string, answer: (response: ServerResponse) => unknown][] = [
    ['it is answered with 302', (response) => response.writeHead(302, { location: elsewhere }).end()],
    ['it is answered with 403', (response) => response.writeHead(403).end()],
    ['the connection failed', (response) => response.destroy()],
    ['no answer within 3 seconds', () => undefined],
    // Cut off at the same time.
    ['the connection failed', (response) => response.writeHead(200).write('{')],
  ];
  for (const [reason, answer] of answers) {
    const clientId = documents.publish(randomUUID(), good);
    documents.answerWith((response) => void answer(response));
    const fetched = documents.received.length;
    const { status, text } = await openAuthorization(clientId);
    assert.equal(status, 503, text);
    assert.match(text, new RegExp(`could not be read at ${host}: ${reason}`));
    assert.equal(documents.received.length, fetched + 1);
  }
});

test('a host whose certificate is not trusted, or is for another name, is not asked for a document', async (t) => {
  const untrusted = await startEventReceiver(t, { isTrusted: false });
  const misnamed = await startEventReceiver(t, { host: 'elsewhere.example' });
  const ports = [untrusted.port, misnamed.port];
  const hosts = ports.map((port) => `localhost:${port}`);
  const app = await startOAuthTestApp(t, { env: { CLIENT_DOCUMENT_HOSTS: hosts.join(',') } });
  for (const each of hosts) {
    const { status, text } = await openAuthorization(`https://${each}/client.json`, app);
    assert.equal(status, 503, text);
    assert.match(text, /the connection failed/);
  }
  assert.deepEqual([untrusted.received, misnamed.received], [[], []]);
});

/** Starts instances one after the other, with the same records and address. */
async function prepareInstances(t: CleanupScope) {
  const dataDir = await createDataFolder(t);
  const [port = 0] = await findFreePorts(1);
  return async (scope: CleanupScope, hosts: string) => {
    const env = { PORT: String(port), DATA_DIR: dataDir, CLIENT_DOCUMENT_HOSTS: hosts };
    return await startOAuthTestApp(scope, { keyring: testKeyring, env });
  };
}

test('a sign-in goes on at another instance, which reads the document itself', async (t) => {
  const start = await prepareInstances(t);
  const browser = await inScope(async (scope) => {
    const { openBrowser, buildAuthorizeUrl } = await start(scope, host);
    const begun = openBrowser();
    await begun.open(buildAuthorizeUrl(claudeCode, { redirect_uri: LOOPBACK_REDIRECT }));
    return begun;
  });
  await inScope(async (scope) => {
    const { readEmails } = await start(scope, host);
    await browser.submitForm('address', { address: `${randomUUID()}@example.com` });
    await browser.submitForm('code', { code: readSignInCode((await readEmails()).at(-1)) });
    await browser.submitForm('consent');
    assert.ok(browser.getExternalRedirect()?.searchParams.get('code'), browser.getPage().text);
  });
});

test('a host that is taken from the list ends its tokens at the next request; one that is away ends none', async (t) => {
  const start = await prepareInstances(t);
  const tokens = await inScope(async (scope) => await obtainTokens(claudeCode, await start(scope, host)));
  await inScope(async (scope) => {
    const app = await start(scope, host);
    documents.answerWith((response) => void response.writeHead(500).end());
    const away = await requestToken(claudeCode, buildRefreshForm(tokens.refresh_token), app);
    documents.answerAsPublished();
    assertOAuthRefusal(away, 503, 'temporarily_unavailable');
    assert.equal((await app.requestOrders(`Bearer ${tokens.access_token}`)).status, 200);
  });
  await inScope(async (scope) => {
    const app = await start(scope, '');
    assert.equal((await app.requestOrders(`Bearer ${tokens.access_token}`)).status, 401);
    const refused = await requestToken(claudeCode, buildRefreshForm(tokens.refresh_token), app);
    assertOAuthRefusal(refused, 401, 'invalid_client');
  });
  await inScope(async (scope) => {
    const app = await start(scope, host);
    const again = await requestToken(claudeCode, buildRefreshForm(tokens.refresh_token), app);
    assert.equal(again.status, 200, again.text);
  });
});

/** Ends what was started in it when the work is done. */
async function inScope<Result>(work: (scope: CleanupScope) => Promise<Result>): Promise<Result> {
  const tasks: (() => unknown)[] = [];
  try {
    return await work({ after: (clean) => void tasks.unshift(clean) });
  } finally {
    for (const task of tasks) await task();
  }
}
