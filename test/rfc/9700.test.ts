/** RFC 9700: attacks on the authorization flow, and how they fail. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  buildCodeGrantForm,
  buildRefreshGrantForm,
  CALLBACK_URL,
  postForm,
} from '#test/oauth/oauth-test-app.ts';
import type { ScriptlessBrowser } from '#test/oauth/scriptless-browser.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const { get, requestToken, assertRefused, obtainTokens, isTokenAccepted } = testApp;
const agent = await testApp.createClient();

/** Posts the first form of a page to a step of its sign-in, without following the redirect. */
async function postSignInForm(
  browser: ScriptlessBrowser,
  page: string,
  action: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
) {
  const [, step = '', form_token = ''] = /action="([^"]+)\/\w+">.*?value="([^"]+)"/.exec(page) ?? [];
  const cookies = browser.listCookies().filter(({ path }) => step.startsWith(path));
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  return await postForm(get, `${step}/${action}`, { form_token, ...fields }, { cookie, ...headers });
}

test('reusing a code, or a refresh token, revokes all tokens that came of it', async () => {
  const { refresh_token } = await obtainTokens(agent);
  for (const form of [await testApp.obtainCodeForm(agent), buildRefreshGrantForm(refresh_token)]) {
    const { json } = await requestToken(agent, form);
    assert.ok(await isTokenAccepted(json['access_token']));
    await assertRefused(agent, form, 'invalid_grant');
    assert.ok(!(await isTokenAccepted(json['access_token'])));
    await assertRefused(agent, buildRefreshGrantForm(json['refresh_token']), 'invalid_grant');
  }
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
    const browser = await testApp.openAuthorization(agent.clientId, { redirect_uri });
    const { status, headers, text } = browser.getPage();
    assert.deepEqual([status, headers.location, browser.getExternalRedirect()], [400, undefined, null]);
    assert.match(headers['content-type'] ?? '', /^text\/html/);
    assert.match(text, /invalid_redirect_uri/);
  });

test('a native app may use any port of its loopback redirect URI, and no other difference', async () => {
  const native = await testApp.createClient({
    redirectUris: ['http://127.0.0.1/done', 'com.example.agent:/done'],
  });
  const open = async (redirect_uri: string) =>
    (await testApp.openAuthorization(native.clientId, { redirect_uri })).getPage();
  for (const [redirect_uri, source] of [
    ['http://127.0.0.1:49152/done', 'http://127.0.0.1:49152'],
    ['com.example.agent:/done', 'com.example.agent:'],
  ] as const) {
    const { status, headers } = await open(redirect_uri);
    assert.equal(status, 200, redirect_uri);
    assert.ok(headers['content-security-policy']?.includes(`form-action 'self' ${source};`), source);
  }
  for (const wrong of ['http://127.0.0.1:49152/other', 'http://127.0.0.2/done', 'http://localhost/done'])
    assert.equal((await open(wrong)).status, 400, wrong);
});

test('an unknown client is refused on a page that repeats nothing unescaped', async () => {
  const { status, text } = (await testApp.openAuthorization('<script>alert(1)</script>')).getPage();
  assert.equal(status, 400);
  assert.doesNotMatch(text, /<script>alert/);
});

test('a cross-site form is refused at every step', async () => {
  const browser = await testApp.openAuthorization(agent.clientId);
  const { text } = browser.getPage();
  for (const action of ['address', 'code', 'words', 'consent', 'cancel'])
    for (const answer of [
      await postSignInForm(browser, text, action, {}, { 'sec-fetch-site': 'cross-site' }),
      await postSignInForm(browser, text, action, { form_token: '' }),
      await postSignInForm(browser, text, action, { form_token: 'x'.repeat(43) }),
      await postSignInForm(browser, text, action, { form_token: 'é'.repeat(43) }),
    ])
      assert.deepEqual([answer.status, answer.json['code']], [403, 'foreign_form'], action);
});

test('a sign-in belongs to the browser that began it', async () => {
  const browser = await testApp.openAuthorization(agent.clientId);
  const path = /action="(\/sign-in\/[\w-]+)\/address"/.exec(browser.getPage().text)?.[1] ?? '';
  const stranger = await get(path, { headers: { accept: 'text/html' } });
  assert.equal(stranger.status, 403);
  assert.match(stranger.text, /This sign-in is over/);
  const other = await testApp.openAuthorization(agent.clientId);
  assert.equal((await other.open(path)).status, 403);
});

test('consent cannot be given before signing in, nor twice', async () => {
  const browser = testApp.openBrowser();
  const countGrants = async () =>
    (await testApp.store.records.selectFrom('tokens').select('id').where('kind', '=', 'Grant').execute())
      .length;
  const start = await browser.open(testApp.buildAuthorizeUrl(agent.clientId));
  assert.equal((await postSignInForm(browser, start.text, 'consent')).json['code'], 'sign_in_expired');
  await browser.submitForm('address', { address: 'twice@example.com' });
  const { text: page } = await testApp.submitCode(browser);
  const consents = await countGrants();
  const first = await postSignInForm(browser, page, 'consent', { share_email: 'yes' });
  const second = await postSignInForm(browser, page, 'consent');
  assert.deepEqual([first.status, second.status], [303, 303], second.text);
  assert.equal(await countGrants(), consents + 1);
  await browser.open(first.headers['location'] ?? '');
  const { json } = await requestToken(agent, buildCodeGrantForm(browser.getExternalRedirect()));
  const claims = await testApp.getClaims(json['access_token']);
  assert.deepEqual([claims.status, claims.json['email']], [200, undefined], 'what was ticked last counts');
  assert.equal((await postSignInForm(browser, page, 'consent')).json['code'], 'sign_in_expired');
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
    const { access_token } = await obtainTokens(agent, { browser, address, sharesEmail: true });
    const { json } = await testApp.getClaims(access_token);
    assert.equal(json['email'], address);
    subjects.push(json['sub']);
  }
  assert.notEqual(subjects[0], subjects[1]);
});

test('no page of the flow can be framed or cached, or leaks a referrer', async () => {
  const browser = testApp.openBrowser();
  const pages = [await browser.open(testApp.buildAuthorizeUrl(agent.clientId))];
  pages.push(await browser.submitForm('address', { address: 'framed@example.com' }));
  pages.push(await testApp.submitCode(browser));
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
  const { access_token } = await obtainTokens(agent);
  const headers = { authorization: `Bearer ${access_token}` };
  for (const path of ['/api/orders', '/api/pricing', '/api/stripe/status']) {
    for (const ask of [{}, { headers }]) {
      const answer = await get(`${path}?access_token=${access_token}`, ask);
      assert.deepEqual([answer.status, answer.json['code']], [400, 'token_in_query']);
    }
  }
});
