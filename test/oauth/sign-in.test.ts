/** Signing in by e-mail code or with the words of a case, and its limits. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import type { HttpsClient } from '#test/https-client.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import { buildCodeGrantForm, readSignInCode } from './oauth-test-app.ts';
import { openScriptlessBrowser, type ScriptlessBrowser } from './scriptless-browser.ts';
import { testApp } from './shared-test-app.ts';

const agent = await testApp.createClient({ name: 'Agent <b>& Sons</b>' });

async function startSignIn(address?: string): Promise<ScriptlessBrowser> {
  const browser = await testApp.openAuthorization(agent.clientId);
  if (address) await browser.submitForm('address', { address });
  return browser;
}

const readCode = async () => readSignInCode((await testApp.readEmails()).at(-1));
const toWrongCode = (right: string) => String((Number(right) + 1) % 1_000_000).padStart(6, '0');

test('each page is valid HTML, and the consent page says in plain words who may do what', async () => {
  const browser = await startSignIn();
  await assertValidHtml(browser.getPage().text, 'sign-in');
  const mistaken = await browser.submitForm('address', { address: 'no-address' });
  await assertValidHtml(mistaken.text, 'sign-in with a mistake');
  assert.equal(mistaken.status, 422);
  await assertValidHtml((await browser.submitForm('address', { address: 'plain@example.com' })).text, 'code');
  const code = await readCode();
  await assertValidHtml((await browser.submitForm('code', { code: toWrongCode(code) })).text, 'wrong code');
  const { text } = await browser.submitForm('code', { code });
  await assertValidHtml(text, 'consent');
  assert.match(text, /<h1>Let Agent &lt;b&gt;&amp; Sons&lt;\/b&gt; act for you\?<\/h1>/);
  assert.match(text, /see how your cases stand/);
  assert.match(text, /start a purchase: a person still pays for each one/);
  assert.match(text, /withdraw it: a withdrawn case is deleted after 24 hours/);
  assert.match(text, /<input type="checkbox" id="share_email" name="share_email" value="yes" aria/);
  assert.doesNotMatch(text, /contact messages|case:read/);
  assert.match(text, /agent\.example/);
});

test('the e-mail is discreet: neither sender, subject nor first words reveal a code or what the site does', async () => {
  await startSignIn('e-mail@example.com');
  const email = (await testApp.readEmails()).at(-1);
  assert.equal(email?.to, 'e-mail@example.com');
  assert.deepEqual([email?.subject, email?.unsigned], ['A message for you', true]);
  const [first = '', second = ''] = email?.text.split('\n\n') ?? [];
  assert.ok(first.length > 80 && !/\d|code|sign/i.test(first), first);
  assert.match(second, /^\d{6}$/);
  assert.doesNotMatch(email?.text ?? '', /inquiry(?! office)|case|Agent|https?:/i);
});

test('the e-mail is in the language of the page that asked for it', async () => {
  const getInSpanish: HttpsClient = (path, options) =>
    testApp.get(path, { ...options, headers: { ...options?.headers, 'accept-language': 'es-MX' } });
  for (const page of [testApp.buildAuthorizeUrl(agent.clientId), '/permissions']) {
    const browser = openScriptlessBrowser(getInSpanish, testApp.origin);
    await browser.open(page);
    const { text } = await browser.submitForm('address', { address: 'lectora@example.com' });
    assert.match(text, /Un mensaje para usted/, page);
    assert.equal((await testApp.readEmails()).at(-1)?.subject, 'Un mensaje para usted', page);
  }
});

test('a code works in any spelling, once, and only in the sign-in that requested it', async () => {
  const [first, second] = [await startSignIn('one@example.com'), await startSignIn('two@example.com')];
  const emails = await testApp.readEmails();
  const code = readSignInCode(emails.find(({ to }) => to === 'one@example.com'));
  assert.equal((await second.submitForm('code', { code })).status, 422);
  const { text } = await first.submitForm('code', { code: ` ${code.slice(0, 3)} ${code.slice(3)} ` });
  assert.match(text, /act for you/);
});

test('five wrong guesses invalidate a code', async () => {
  const browser = await startSignIn('guess@example.com');
  const code = await readCode();
  for (const left of [4, 3, 2, 1]) {
    const { status, text } = await browser.submitForm('code', { code: toWrongCode(code) });
    assert.equal(status, 422);
    assert.match(text, new RegExp(`try ${left} more time`));
  }
  assert.match((await browser.submitForm('code', { code: toWrongCode(code) })).text, /no longer works/);
  await browser.submitForm('address', { address: 'guess@example.com' });
  const next = await readCode();
  assert.match((await browser.submitForm('code', { code: next })).text, /act for you/);
});

test('a code expires after ten minutes', async (t) => {
  const browser = await startSignIn('late@example.com');
  const code = await readCode();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 10 * 60_000 });
  assert.match((await browser.submitForm('code', { code })).text, /no longer works/);
});

test('a sign-in expires after twenty minutes', async (t) => {
  const browser = await startSignIn();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 20 * 60_000 + 16_000 });
  const { status, text } = await browser.submitForm('address', { address: 'late@example.com' });
  assert.equal(status, 403);
  assert.match(text, /This sign-in is over/);
});

test('a new code replaces the one before', async () => {
  const browser = await startSignIn('again@example.com');
  const old = await readCode();
  await browser.open(/<a href="(\/sign-in\/[^"]+)">Use another/.exec(browser.getPage().text)?.[1] ?? '');
  await browser.submitForm('address', { address: 'again@example.com' });
  const code = await readCode();
  if (old !== code) assert.equal((await browser.submitForm('code', { code: old })).status, 422);
  assert.match((await browser.submitForm('code', { code })).text, /act for you/);
});

test('one address gets five short codes a day and then one long code; every response is the same', async (t) => {
  const address = 'often@example.com';
  const listEmails = async () => (await testApp.readEmails()).filter(({ to }) => to === address);
  const answers = [];
  for (let attempt = 0; attempt < 9; attempt += 1) {
    const { status, text } = (await startSignIn(address)).getPage();
    answers.push(`${status} ${text.replaceAll(/[\w-]{43}/g, '…')}`);
  }
  assert.equal(new Set(answers).size, 1);
  const emails = await listEmails();
  assert.deepEqual(
    emails
      .map(({ text }) => /^[\d ]+$/m.exec(text)?.[0].replaceAll(' ', '').length ?? 0)
      .toSorted((one, other) => one - other),
    [6, 6, 6, 6, 6, 18],
  );
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 24 * 3_600_000 + 1 });
  await startSignIn(address);
  assert.equal(readSignInCode((await listEmails()).at(-1)).length, 6);
});

test('the owner of an address that strangers ask codes for signs in with the long code, all day', async (t) => {
  const address = 'target@example.com';
  for (let attempt = 0; attempt < 7; attempt += 1) await startSignIn(address);
  const texts = (await testApp.readEmails()).filter(({ to }) => to === address).map(({ text }) => text);
  const code = /^\d{6} \d{6} \d{6}$/m.exec(texts.join('\n'))?.[0] ?? '';
  const owner = await startSignIn(address);
  assert.match((await owner.submitForm('code', { code: code.slice(0, 6) })).text, /4 more times/);
  assert.match((await owner.submitForm('code', { code })).text, /act for you/);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 23 * 3_600_000 });
  const later = await startSignIn(address);
  assert.match((await later.submitForm('code', { code })).text, /act for you/);
  const stranger = await startSignIn('stranger@example.com');
  assert.equal((await stranger.submitForm('code', { code })).status, 422);
});

test('the response is the same for a known and an unknown address', async () => {
  await testApp.obtainTokens(agent, { address: 'known@example.com' });
  const [known, unknown] = [await startSignIn('known@example.com'), await startSignIn('unknown@example.com')];
  const toMaskedText = ({ getPage }: ScriptlessBrowser) => getPage().text.replaceAll(/[\w-]{43}/g, '…');
  assert.equal(toMaskedText(known), toMaskedText(unknown));
});

test('anything but a single address is refused, and nothing is sent', async () => {
  const before = (await testApp.readEmails()).length;
  for (const address of ['', 'a@b.example, c@d.example', 'a@b.example\r\nBcc: c@d.example']) {
    const browser = await startSignIn();
    assert.equal((await browser.submitForm('address', { address })).status, 422, address);
  }
  assert.equal((await testApp.readEmails()).length, before);
});

test('a buyer signs in with the words of a case, and the words are stored nowhere', async () => {
  const words = generateWords();
  const { lookupHash } = await deriveWordKeys(words);
  await seedCase(testApp.store, { lookup_hash: lookupHash });
  const browser = await startSignIn();
  const { text: consent } = await browser.submitForm('words', { words: words.toUpperCase() });
  assert.doesNotMatch(consent, /share_email/);
  assert.match(consent, /the case whose words you have just used/);
  await browser.submitForm('consent');
  const form = buildCodeGrantForm(browser.getExternalRedirect());
  const { json } = await testApp.requestToken(agent, form);
  const { json: claims } = await testApp.getClaims(json['access_token']);
  assert.match(String(claims['sub']), /^[\w-]{22}$/);
  assert.deepEqual([claims['email'], claims['email_verified']], [undefined, undefined]);
  const users = JSON.stringify(await testApp.store.records.selectFrom('users').selectAll().execute());
  assert.ok(!users.includes(lookupHash));
  // One word alone may be a part of a random id.
  const [one, other] = words.toUpperCase().split(' ');
  assert.doesNotMatch(testApp.readLog(), new RegExp(`${one}\\W+(?:20)?${other}`));
});

test('unknown, misspelt or too few words are refused, and can be typed again', async () => {
  const browser = await startSignIn();
  for (const [words, message] of [
    [generateWords(), /No case opens with these words/],
    ['abandon ability', /there are twelve/],
    ['xyzzy '.repeat(12), /Check word 1: it isn’t one/],
  ] as const) {
    const { status, text } = await browser.submitForm('words', { words });
    assert.equal(status, 422);
    assert.match(text, message);
    assert.match(text, /<textarea[^>]*>\n<\/textarea>/);
  }
});
