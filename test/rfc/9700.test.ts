/** RFC 9700: attacks on the authorization flow, and how they fail. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  assertOAuthRefusal,
  buildCodeGrantForm,
  buildRefreshGrantForm,
  CALLBACK_URL,
  readSignInCode,
} from '#test/oauth/oauth-test-app.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const agent = await testApp.createClient();
const isTokenAccepted = async (token: unknown) =>
  (await testApp.requestOrders(`Bearer ${token}`)).status === 200;

test('reusing a code revokes the tokens issued for it', async () => {
  const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId));
  const form = buildCodeGrantForm(callback.searchParams.get('code') ?? '');
  const { json } = await testApp.requestToken(agent, form);
  assert.ok(await isTokenAccepted(json['access_token']));
  assertOAuthRefusal(await testApp.requestToken(agent, form), 400, 'invalid_grant');
  assert.ok(!(await isTokenAccepted(json['access_token'])));
  assertOAuthRefusal(
    await testApp.requestToken(agent, buildRefreshGrantForm(String(json['refresh_token']))),
    400,
    'invalid_grant',
  );
});

test('reusing a refresh token revokes its whole family', async () => {
  const first = await testApp.obtainTokens(agent);
  const next = await testApp.requestToken(agent, buildRefreshGrantForm(first.refresh_token));
  assertOAuthRefusal(
    await testApp.requestToken(agent, buildRefreshGrantForm(first.refresh_token)),
    400,
    'invalid_grant',
  );
  assert.ok(!(await isTokenAccepted(first.access_token)));
  assert.ok(!(await isTokenAccepted(next.json['access_token'])));
  assertOAuthRefusal(
    await testApp.requestToken(agent, buildRefreshGrantForm(String(next.json['refresh_token']))),
    400,
    'invalid_grant',
  );
});

const redirects = [
  'https://evil.example/callback',
  `${CALLBACK_URL}/`,
  `${CALLBACK_URL}?more=1`,
  `${CALLBACK_URL}/../evil`,
  'https://agent.example.evil.example/callback',
  'https://agent.example@evil.example/callback',
  'https://agent.example:8443/callback',
  'http://agent.example/callback',
  'HTTPS://AGENT.EXAMPLE/callback',
  'javascript:alert(1)',
];

for (const redirect_uri of redirects)
  test(`no browser is sent to ${redirect_uri}: redirect URIs are compared exactly`, async () => {
    const browser = testApp.openBrowser();
    const page = await browser.open(testApp.buildAuthorizeUrl(agent.clientId, { redirect_uri }));
    assert.equal(page.status, 400);
    assert.equal(browser.getExternalRedirect(), null);
    assert.equal(page.headers.location, undefined);
    assert.match(page.headers['content-type'] ?? '', /^text\/html/);
    assert.match(page.text, /invalid_redirect_uri/);
  });

test('a native app may use any port of its loopback redirect URI, and no other difference', async () => {
  const native = await testApp.createClient({
    redirectUris: ['http://127.0.0.1/done', 'com.example.agent:/done'],
  });
  for (const redirect_uri of ['http://127.0.0.1:49152/done', 'com.example.agent:/done']) {
    const browser = testApp.openBrowser();
    const page = await browser.open(testApp.buildAuthorizeUrl(native.clientId, { redirect_uri }));
    assert.equal(page.status, 200, redirect_uri);
    const policy = String(page.headers['content-security-policy']);
    const source = redirect_uri.startsWith('com') ? 'com.example.agent:' : 'http://127.0.0.1:49152';
    assert.ok(policy.includes(`form-action 'self' ${source};`), policy);
  }
  for (const redirect_uri of [
    'http://127.0.0.1:49152/other',
    'http://127.0.0.2/done',
    'http://localhost/done',
  ]) {
    const page = await testApp
      .openBrowser()
      .open(testApp.buildAuthorizeUrl(native.clientId, { redirect_uri }));
    assert.equal(page.status, 400, redirect_uri);
  }
});

test('an unknown client is refused on a page that repeats nothing unescaped', async () => {
  const page = await testApp.openBrowser().open(testApp.buildAuthorizeUrl('<script>alert(1)</script>'));
  assert.equal(page.status, 400);
  assert.doesNotMatch(page.text, /<script>alert/);
});

test('a cross-site form is refused at every step', async () => {
  const browser = testApp.openBrowser();
  await browser.open(testApp.buildAuthorizeUrl(agent.clientId));
  const uid = /\/sign-in\/([\w-]+)\/address/.exec(browser.getPage().text)?.[1] ?? '';
  const cookie = browser
    .listCookies()
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
  const form_token = /name="form_token" value="([^"]+)"/.exec(browser.getPage().text)?.[1] ?? '';
  const postSignInForm = (action: string, fields: Record<string, string>, headers: Record<string, string>) =>
    testApp.get(`/sign-in/${uid}/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie, ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  for (const action of ['address', 'code', 'words', 'consent', 'cancel']) {
    const foreign = await postSignInForm(action, { form_token }, { 'sec-fetch-site': 'cross-site' });
    const without = await postSignInForm(action, {}, { 'sec-fetch-site': 'same-origin' });
    const forged = await postSignInForm(
      action,
      { form_token: 'x'.repeat(43) },
      { 'sec-fetch-site': 'same-origin' },
    );
    const emails = await postSignInForm(
      action,
      { form_token: 'é'.repeat(43) },
      { 'sec-fetch-site': 'same-origin' },
    );
    for (const { status, json } of [foreign, without, forged, emails])
      assert.deepEqual([status, json['code']], [403, 'foreign_form'], action);
  }
});

test('a sign-in belongs to the browser that began it', async () => {
  const browser = testApp.openBrowser();
  await browser.open(testApp.buildAuthorizeUrl(agent.clientId));
  const path = /action="(\/sign-in\/[\w-]+)\/address"/.exec(browser.getPage().text)?.[1] ?? '';
  const stranger = await testApp.get(path, { headers: { accept: 'text/html' } });
  assert.equal(stranger.status, 403);
  assert.match(stranger.text, /This sign-in is over/);
  const other = testApp.openBrowser();
  await other.open(testApp.buildAuthorizeUrl(agent.clientId));
  assert.equal((await other.open(path)).status, 403);
});

test('consent cannot be given before signing in, nor twice', async () => {
  const browser = testApp.openBrowser();
  const countGrants = async () =>
    (await testApp.store.records.selectFrom('tokens').select('id').where('kind', '=', 'Grant').execute())
      .length;
  /** Submits the first form of a page to the consent, without following the redirect. */
  const sendConsentForm = async (page: string, ticked: Record<string, string> = {}) => {
    const [, step = '', token = ''] = /action="([^"]+)\/\w+">.*?value="([^"]+)"/.exec(page) ?? [];
    const cookies = browser.listCookies().filter(({ path }) => step.startsWith(path));
    return await testApp.get(`${step}/consent`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      },
      body: new URLSearchParams({ form_token: token, ...ticked }).toString(),
    });
  };
  const start = await browser.open(testApp.buildAuthorizeUrl(agent.clientId));
  assert.equal((await sendConsentForm(start.text)).json['code'], 'sign_in_expired');
  await browser.submitForm('address', { address: 'twice@example.com' });
  const code = readSignInCode((await testApp.readEmails()).at(-1));
  const { text: page } = await browser.submitForm('code', { code });
  const consents = await countGrants();
  const first = await sendConsentForm(page, { share_email: 'yes' });
  const second = await sendConsentForm(page);
  assert.deepEqual([first.status, second.status], [303, 303], second.text);
  assert.equal(await countGrants(), consents + 1);
  await browser.open(first.headers['location'] ?? '');
  const form = buildCodeGrantForm(browser.getExternalRedirect()?.searchParams.get('code') ?? '');
  const { json } = await testApp.requestToken(agent, form);
  const claims = await testApp.get('/hcgi/platform/api/collections/users/auth-refresh', {
    headers: { authorization: `Bearer ${json['access_token']}` },
  });
  assert.deepEqual([claims.status, claims.json['email']], [200, undefined], 'what was ticked last counts');
  assert.equal((await sendConsentForm(page)).json['code'], 'sign_in_expired');
  assert.equal(await countGrants(), consents + 1);
});

test('no person stays signed in: the next authorization asks again, and prompt=none fails', async () => {
  const browser = testApp.openBrowser();
  await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId), { browser });
  const again = await browser.open(testApp.buildAuthorizeUrl(agent.clientId));
  assert.match(again.text, /Your email address/);
  await browser.open(testApp.buildAuthorizeUrl(agent.clientId, { prompt: 'none' }));
  assert.equal(browser.getExternalRedirect()?.searchParams.get('error'), 'login_required');
});

test('every sign-in cookie is limited to this site, and those of one step to its path', async () => {
  const browser = testApp.openBrowser();
  await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId), { browser });
  const paths = Object.fromEntries(browser.listCookies().map(({ name, path }) => [name, path]));
  assert.equal(paths['__Host-sign-in'], '/');
  for (const [name, path] of Object.entries(paths))
    assert.match(
      path,
      name.startsWith('__Host-') ? /^\/$/ : /^\/(sign-in|oauth2\/authorize)\/[\w-]{43}$/,
      name,
    );
});

test('a second person in the same browser gets tokens of their own', async () => {
  const browser = testApp.openBrowser();
  const subjects = [];
  for (const address of ['first@example.com', 'second@example.com']) {
    const { access_token } = await testApp.obtainTokens(agent, { browser, address, sharesEmail: true });
    const { json } = await testApp.get('/hcgi/platform/api/collections/users/auth-refresh', {
      headers: { authorization: `Bearer ${access_token}` },
    });
    assert.equal(json['email'], address);
    subjects.push(json['sub']);
  }
  assert.notEqual(subjects[0], subjects[1]);
});

test('no page of the flow can be framed or cached, or leaks a referrer', async () => {
  const browser = testApp.openBrowser();
  const pages = [await browser.open(testApp.buildAuthorizeUrl(agent.clientId))];
  pages.push(await browser.submitForm('address', { address: 'framed@example.com' }));
  pages.push(await browser.submitForm('code', { code: readSignInCode((await testApp.readEmails()).at(-1)) }));
  for (const { status, headers, text } of pages) {
    assert.equal(status, 200);
    assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
    assert.ok(
      String(headers['content-security-policy']).includes("form-action 'self' https://agent.example;"),
    );
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.doesNotMatch(text, /<script(?! (?:type="module" )?src="\/assets\/)/);
  }
});

test('a token in the URL is refused and never accepted', async () => {
  const { access_token } = await testApp.obtainTokens(agent);
  const headers = { authorization: `Bearer ${access_token}` };
  for (const path of ['/api/orders', '/api/pricing', '/api/stripe/status']) {
    const answer = await testApp.get(`${path}?access_token=${access_token}`);
    assert.deepEqual([answer.status, answer.json['code']], [400, 'token_in_query']);
    const both = await testApp.get(`${path}?access_token=${access_token}`, { headers });
    assert.equal(both.status, 400);
  }
});
