/** A person lists and ends the permissions of programs, signing in again at each visit. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import {
  buildRefreshGrantForm,
  CALLBACK_URL,
  CLAIMS_PATH,
  postForm,
  readSignInCode,
} from './oauth-test-app.ts';
import { openPermissionsByEmail, openPermissionsByWords } from './permission-pages.ts';
import type { ScriptlessBrowser } from './scriptless-browser.ts';
import { testApp } from './shared-test-app.ts';
import { createWordsUser } from './words-user.ts';

const { records } = testApp.store;
const agent = await testApp.createClient({ name: 'Agent <b>& Sons</b>' });

const { isTokenAccepted } = testApp;
const isRefreshAccepted = async (token: string) =>
  (await testApp.requestToken(agent, buildRefreshGrantForm(token))).status === 200;
const countRows = async (table: 'users' | 'tokens') =>
  (await records.selectFrom(table).select('id').execute()).length;
const readHidden = ({ getPage }: ScriptlessBrowser, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(getPage().text)?.[1] ?? '';

/** Sends a form that no page offers. */
async function sendForm(action: string, fields: Record<string, string>, fetchSite = 'same-origin') {
  const headers = { accept: 'text/html', 'sec-fetch-site': fetchSite };
  return await postForm(testApp.get, `/permissions/${action}`, fields, headers);
}

test('a person sees what was allowed, ends one of them, and its tokens fail on the very next request', async () => {
  const address = 'ender@example.com';
  const first = await testApp.obtainTokens(agent, { address, sharesEmail: true });
  const second = await testApp.obtainTokens(agent, { address });
  const other = await testApp.obtainTokens(agent, { address: 'bystander@example.com' });
  const browser = await openPermissionsByEmail(testApp, address);
  const { text } = browser.getPage();
  await assertValidHtml(text, 'permissions');
  assert.equal(text.match(/<h2>Agent &lt;b&gt;&amp; Sons&lt;\/b&gt;<\/h2>/g)?.length, 2);
  assert.match(text, /a withdrawn case is deleted after 24 hours/);
  assert.equal(text.match(/It knows your email address/g)?.length, 1);
  const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format();
  assert.ok(text.includes(`You allowed it on ${today} to:`));

  const confirmation = await browser.submitForm('confirm');
  await assertValidHtml(confirmation.text, 'confirmation');
  assert.match(confirmation.text, /<h1>End what Agent &lt;b&gt;&amp; Sons&lt;\/b&gt; may do\?<\/h1>/);
  assert.ok((await isTokenAccepted(first.access_token)) && (await isTokenAccepted(second.access_token)));

  const ended = await browser.submitForm('end');
  const accepted = [await isTokenAccepted(first.access_token), await isTokenAccepted(second.access_token)];
  await assertValidHtml(ended.text, 'permissions after the end of one');
  assert.ok(ended.text.includes(`Ended: what you allowed Agent &lt;b&gt;&amp; Sons&lt;/b&gt; on ${today}.`));
  assert.match(confirmation.text, /It has another permission from you/);
  assert.match(ended.text, /It still has another permission from you, below/);
  assert.equal(ended.text.match(/You allowed it on/g)?.length, 1);
  assert.equal(accepted.filter(Boolean).length, 1);
  const [gone, kept] = accepted[0] ? [second, first] : [first, second];
  assert.equal(await isRefreshAccepted(gone.refresh_token), false);
  const claims = await testApp.get(CLAIMS_PATH, { headers: { authorization: gone.access_token } });
  assert.equal(claims.status, 401);
  assert.ok(await isRefreshAccepted(kept.refresh_token));
  assert.ok(await isTokenAccepted(other.access_token));
});

test('a person who keeps it after all is back at the list, and nothing has ended', async () => {
  const address = 'keeper@example.com';
  const { access_token } = await testApp.obtainTokens(agent, { address });
  const browser = await openPermissionsByEmail(testApp, address);
  await browser.submitForm('confirm');
  assert.match((await browser.submitForm('list')).text, /You allowed it on/);
  assert.ok(await isTokenAccepted(access_token));
});

test('all can be ended at once', async () => {
  const address = 'thorough@example.com';
  const tokens = [];
  for (const client of [agent, await testApp.createClient(), await testApp.createClient()])
    tokens.push(await testApp.obtainTokens(client, { address }));
  const browser = await openPermissionsByEmail(testApp, address);
  const pass = readHidden(browser, 'pass');
  const { text } = await sendForm('confirm', { pass, permission: 'all' });
  assert.match(text, /<h1>End everything that programs may do for you\?<\/h1>/);
  await assertValidHtml(text, 'confirmation for all');
  const ended = await sendForm('end', { pass, permission: 'all' });
  assert.match(ended.text, /Ended: no program can act for you with this address or these words/);
  assert.match(
    ended.text,
    /No program may act for you with this address or these words\. There is nothing to end/,
  );
  for (const { access_token } of tokens) assert.equal(await isTokenAccepted(access_token), false);
});

test('the words of a case find what was allowed with them, and nothing that was allowed by e-mail', async () => {
  const { words, tokens } = await createWordsUser(testApp, agent);
  const browser = await openPermissionsByWords(testApp, words);
  assert.equal(browser.getPage().text.match(/You allowed it on/g)?.length, 1);
  await browser.submitForm('confirm');
  assert.doesNotMatch(browser.getPage().text, /another permission/);
  await browser.submitForm('end');
  assert.equal(await isTokenAccepted(tokens.access_token), false);
  assert.match(browser.getPage().text, /Ended: Agent .* can no longer act for you\./);
  assert.match(browser.getPage().text, /There is nothing to end/);
});

test('a purge of the case ends what was allowed with its words', async () => {
  const { words, tokens, caseId } = await createWordsUser(testApp, agent);
  assert.ok(await isTokenAccepted(tokens.access_token));
  await purgeCaseNow(testApp.services, caseId);
  assert.equal(await isTokenAccepted(tokens.access_token), false);
  assert.equal(await isRefreshAccepted(tokens.refresh_token), false);
  const browser = await openPermissionsByWords(testApp, words);
  assert.equal(browser.getPage().status, 422);
  assert.match(browser.getPage().text, /No case opens with these words/);
});

test('who allowed nothing is told so, and a new address is not kept as a user', async () => {
  const before = await countRows('users');
  const browser = await openPermissionsByEmail(testApp, 'newcomer@example.com');
  await assertValidHtml(browser.getPage().text, 'permissions of a newcomer');
  assert.match(
    browser.getPage().text,
    /No program may act for you with this address or these words\. There is nothing to end/,
  );
  assert.equal(await countRows('users'), before);
});

test('no visit leaves a cookie, and each begins with signing in', async () => {
  const address = 'visitor@example.com';
  await testApp.obtainTokens(agent, { address });
  const browser = await openPermissionsByEmail(testApp, address);
  assert.match(browser.getPage().text, /You allowed it on/);
  assert.deepEqual(browser.listCookies(), []);
  assert.equal(browser.getPage().headers['cache-control'], 'no-store');
  const { text } = await browser.open('/permissions');
  assert.doesNotMatch(text, /You allowed it on/);
  assert.match(text, /Send me a code/);
});

test('a pass that is forged, of another kind or older than ten minutes ends nothing', async (t) => {
  const address = 'slow@example.com';
  const { access_token } = await testApp.obtainTokens(agent, { address });
  const browser = await openPermissionsByEmail(testApp, address);
  const [pass, permission] = [readHidden(browser, 'pass'), readHidden(browser, 'permission')];
  const { keyring } = testApp.services;
  const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  const until = `${Date.now() + 60_000}`;
  const forged = [
    '',
    'A',
    'é'.repeat(2_000),
    `${pass.startsWith('A') ? 'B' : 'A'}${pass.slice(1)}`,
    toText(keyring.seal('sign-in', `${until} stranger`, 'permissions page')),
    toText(keyring.seal('permissions pass', `${until} stranger`, 'another page')),
  ];
  for (const wrong of forged)
    for (const action of ['list', 'confirm', 'end']) {
      const { status, text } = await sendForm(action, { pass: wrong, permission });
      assert.equal(status, 422, wrong);
      assert.match(text, /Sign in again/);
    }
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 9 * 60_000 });
  assert.equal((await sendForm('confirm', { pass, permission })).status, 200);
  t.mock.timers.setTime(Date.now() + 60_001);
  assert.equal((await sendForm('end', { pass, permission })).status, 422);
  t.mock.timers.reset();
  assert.ok(await isTokenAccepted(access_token));
});

test('no person ends the permission of another, and ending twice is told', async () => {
  const tokens = await testApp.obtainTokens(agent, { address: 'victim@example.com' });
  const victim = await openPermissionsByEmail(testApp, 'victim@example.com');
  await testApp.obtainTokens(agent, { address: 'attacker@example.com' });
  const attacker = await openPermissionsByEmail(testApp, 'attacker@example.com');
  const permission = readHidden(victim, 'permission');
  const pass = readHidden(attacker, 'pass');
  for (const action of ['confirm', 'end'])
    assert.match((await sendForm(action, { pass, permission })).text, /had ended already/);
  assert.ok(await isTokenAccepted(tokens.access_token));
  const own = { pass: readHidden(victim, 'pass'), permission };
  const answers = await Promise.all([sendForm('end', own), sendForm('end', own), sendForm('end', own)]);
  assert.equal(answers.filter(({ text }) => /Ended: /.test(text)).length, 1);
  assert.equal(await isTokenAccepted(tokens.access_token), false);
});

test('a refresh at the moment of the end gives no token that works', async () => {
  for (let round = 0; round < 5; round += 1) {
    const address = `racer-${round}@example.com`;
    const { refresh_token } = await testApp.obtainTokens(agent, { address });
    const browser = await openPermissionsByEmail(testApp, address);
    const fields = { pass: readHidden(browser, 'pass'), permission: readHidden(browser, 'permission') };
    const [refreshed] = await Promise.all([
      testApp.requestToken(agent, buildRefreshGrantForm(refresh_token)),
      sendForm('end', fields),
    ]);
    const { access_token, refresh_token: next } = refreshed.json;
    if (typeof access_token === 'string') assert.equal(await isTokenAccepted(access_token), false);
    if (typeof next === 'string') assert.equal(await isRefreshAccepted(next), false);
  }
});

test('a code signs in once, in the visit that asked for it, and not in a sign-in for a program', async () => {
  const address = 'coded@example.com';
  const browser = testApp.openBrowser();
  await browser.open('/permissions');
  await browser.submitForm('address', { address });
  const visit = readHidden(browser, 'visit');
  const code = readSignInCode((await testApp.readEmails()).at(-1));
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
  assert.match((await sendForm('code', { visit, code: wrong })).text, /You can try 4 more times/);
  for (const other of ['', 'A'.repeat(22), `permissions ${visit}`])
    assert.match((await sendForm('code', { visit: other, code })).text, /no longer works/);
  const signIn = await testApp.openAuthorization(agent.clientId);
  await signIn.submitForm('address', { address: 'elsewhere@example.com' });
  assert.equal((await signIn.submitForm('code', { code })).status, 422);
  const uid = /\/sign-in\/([^/]+)\/code/.exec(signIn.getPage().text)?.[1] ?? '';
  const second = readSignInCode((await testApp.readEmails()).at(-1));
  assert.match((await sendForm('code', { visit: uid, code: second })).text, /no longer works/);
  assert.equal((await sendForm('code', { visit, code })).status, 200);
  assert.match((await sendForm('code', { visit, code })).text, /no longer works/);
});

test('a form of another site is refused, and what is no address or no words is told', async () => {
  for (const action of ['address', 'code', 'words', 'list', 'confirm', 'end'])
    assert.equal((await sendForm(action, {}, 'cross-site')).status, 403, action);
  const emails = (await testApp.readEmails()).length;
  assert.match((await sendForm('address', { address: 'no-address' })).text, /Enter an email address/);
  assert.equal((await testApp.readEmails()).length, emails);
  for (const fields of [{ words: 'one two' }, { lookup_token: '' }, { lookup_token: 'A'.repeat(43) }])
    assert.equal((await sendForm('words', fields as Record<string, string>)).status, 422);
});

test('what can no longer be used is not listed', async (t) => {
  const address = 'idle@example.com';
  await testApp.obtainTokens(agent, { address });
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 31 * 86_400_000 });
  const browser = await openPermissionsByEmail(testApp, address);
  assert.match(browser.getPage().text, /There is nothing to end/);
});

test('fifty are shown, and that there are more', async () => {
  const address = 'busy@example.com';
  await testApp.obtainTokens(agent, { address });
  const grants = records.selectFrom('tokens').selectAll().where('kind', '=', 'Grant');
  const grant = await grants.orderBy('expires_at', 'desc').executeTakeFirstOrThrow();
  const copies = Array.from({ length: 50 }, (_, index) => ({ ...grant, grant_id: `many-${index}` }));
  const rows = copies.flatMap((copy, index) => [
    { ...copy, id: `grant-${index}` },
    { ...copy, id: `token-${index}`, kind: 'RefreshToken', user_id: null },
  ]);
  await records.insertInto('tokens').values(rows).execute();
  const browser = await openPermissionsByEmail(testApp, address);
  const { text } = browser.getPage();
  assert.equal(text.match(/You allowed it on/g)?.length, 50);
  assert.match(text, /There are older permissions that are not shown here/);
  const before = await countRows('tokens');
  await sendForm('end', { pass: readHidden(browser, 'pass'), permission: 'all' });
  assert.ok(before - (await countRows('tokens')) >= 102);
});

test('consent, case and privacy page lead to it', async () => {
  const consent = await testApp.openAuthorization(agent.clientId, { scope: 'pricing:read' });
  await consent.submitForm('address', { address: 'linked@example.com' });
  await testApp.submitCode(consent);
  assert.doesNotMatch(consent.getPage().text, /Your cases/);
  const pages = [consent.getPage(), await testApp.get('/case'), await testApp.get('/privacy')];
  for (const { text } of pages) assert.match(text, /<a href="\/permissions"/);
});

test('nothing of a visit is logged but its routes', () => {
  const log = testApp.readLog();
  assert.match(log, /"\/permissions\/end"/);
  assert.doesNotMatch(log, /@example\.com|pass=/);
  assert.ok(!log.includes(CALLBACK_URL));
});
