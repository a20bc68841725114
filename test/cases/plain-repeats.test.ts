/** The form without a script sent once, repeatedly, concurrently or without permission: one payment opens one case. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { deriveFormToken } from '#site/inquiry/form-session.ts';
import { shareTestShop } from '#test/test-shop.ts';
import {
  encodeFormBody,
  openPaidForm,
  openPlainForm,
  plainFormFields,
  sameOriginHeaders,
  sendPlainForm,
} from './plain-form.ts';
import { computeAddedRows, countStoredRows } from './row-counts.ts';
import {
  findCaseByWords,
  openStoredCase,
  openStoredCaseKey,
  openStoredFile,
  openStoredInquiry,
  readPrivateKey,
  requireCaseByWords,
} from './stored-case.ts';

const shop = await shareTestShop();
const file = { name: 'a.txt', type: 'text/plain', content: new TextEncoder().encode('a letter') };
const oneCase = { cases: 1, objects: 2, pieces: 2 };

test('a completed form opens a case that the words, the desk key and the recovery key can decrypt', async () => {
  const form = await openPaidForm(shop, 'Deep Sweep');
  const before = Date.now();
  const answer = await sendPlainForm(shop, form, plainFormFields, [file]);
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.text, /Your case is open/);
  const record = await requireCaseByWords(shop, form.words);
  assert.deepEqual([record.tier, record.state, record.sealed_by], ['Deep Sweep', 'received', 'server']);
  assert.ok(record.submitted_at >= before);
  assert.equal(record.due_at - record.submitted_at, 48 * 3_600_000);
  const identities = [
    (await deriveWordKeys(form.words)).identity,
    await readPrivateKey(shop.dataDir, 'desk'),
    await readPrivateKey(shop.dataDir, 'recovery'),
  ];
  for (const identity of identities) {
    const key = await openStoredCaseKey(shop, record, identity);
    const inquiry = await openStoredInquiry(shop, record, key);
    assert.equal(inquiry.question, plainFormFields.question);
    assert.equal(inquiry.payment_ref, form.paymentRef);
    const opened = await openStoredFile(shop, record, key, 0);
    assert.deepEqual([opened.name, opened.mime], [file.name, file.type]);
    assert.equal(new TextDecoder().decode(opened.content), 'a letter');
  }
});

test('the same form sent again leads to the same case, even without its cookie', async () => {
  const form = await openPaidForm(shop);
  const before = await countStoredRows(shop);
  const first = await sendPlainForm(shop, form, plainFormFields, [file]);
  assert.match(
    first.headers['set-cookie']?.[0] ?? '',
    /^__Host-inquiry=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/,
  );
  const again = await sendPlainForm(shop, form, plainFormFields, [file]);
  const reloaded = await sendPlainForm(shop, { ...form, cookie: 'other=1' }, plainFormFields, [file]);
  for (const { status, text } of [first, again, reloaded]) {
    assert.equal(status, 200);
    assert.match(text, /Your case is open/);
    for (const word of form.words.split(' ')) assert.ok(text.includes(word));
  }
  const parseDueTime = (text: string) => /due on <b>([^<]+)/.exec(text)?.[1];
  assert.equal(parseDueTime(again.text), parseDueTime(first.text));
  assert.equal(parseDueTime(reloaded.text), parseDueTime(first.text));
  assert.deepEqual(computeAddedRows(before, await countStoredRows(shop)), oneCase);
});

test('a form without its token or its cookie gets a page that says so, and nothing is stored', async () => {
  const form = await openPaidForm(shop);
  const other = await openPaidForm(shop);
  const before = await countStoredRows(shop);
  for (const wrong of [
    { ...form, token: '' },
    { ...form, token: `${form.token}x` },
    { ...form, token: other.token },
    { ...form, cookie: 'none=1' },
    { ...form, cookie: form.cookie.replace(/.{9}$/, 'AAAAAAAAA') },
  ]) {
    const { status, text } = await sendPlainForm(shop, wrong, plainFormFields, [file]);
    assert.equal(status, 403, text);
    assert.match(text, /<h1>This form is no longer open in this browser/);
  }
  assert.deepEqual(await countStoredRows(shop), before);
  assert.equal((await sendPlainForm(shop, form)).status, 200);
});

test('a form sent from another site is refused before it is read', async () => {
  const form = await openPaidForm(shop);
  const { body, type } = await encodeFormBody(form, plainFormFields);
  for (const from of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
  ]) {
    const headers = { accept: sameOriginHeaders.accept, cookie: form.cookie, 'content-type': type, ...from };
    const { status, text } = await shop.get('/inquiry/sent', { method: 'POST', headers, body });
    assert.equal(status, 403);
    assert.match(text, /<h1>This did not come from our site/);
  }
  assert.equal(await findCaseByWords(shop, form.words), undefined);
});

test('a payment that was refunded or is still pending opens no case', async () => {
  const returned = await shop.createSession();
  await shop.sandbox.pay(returned);
  const form = await openPlainForm(shop, returned);
  await shop.sandbox.refund(returned);
  await shop.sandbox.setFaults({ settle_after_ms: 3_600_000 });
  const waiting = await shop.createSession();
  await shop.sandbox.pay(waiting, 'pay_later');
  const landing = await shop.get(`/inquiry?session_id=${waiting}`);
  const cookie = landing.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const token = deriveFormToken(shop.services.keyring, waiting);
  const before = await countStoredRows(shop);
  for (const [unpaid, expected] of [
    [form, 409],
    [{ ...form, cookie, token, words: generateWords() }, 402],
  ] as const) {
    const { status, text } = await sendPlainForm(shop, unpaid, plainFormFields, [file]);
    assert.equal(status, expected, text);
  }
  assert.deepEqual(await countStoredRows(shop), before);
  await shop.sandbox.setFaults();
});

test('two payments in one browser each open their own case and name their own payment', async () => {
  const [one, two] = [await shop.createSession('Trace'), await shop.createSession('Dossier')];
  await shop.sandbox.pay(one);
  await shop.sandbox.pay(two);
  const first = await openPlainForm(shop, one);
  const landing = await shop.get(`/inquiry?session_id=${two}`, { headers: { cookie: first.cookie } });
  const cookie = landing.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const second = { ...(await openPlainForm(shop, two)), cookie };
  const sent = await sendPlainForm(shop, { ...first, cookie });
  assert.equal(sent.status, 200, sent.text);
  const left = sent.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  assert.equal((await sendPlainForm(shop, { ...second, cookie: left })).status, 200);
  for (const [form, tier] of [
    [first, 'Trace'],
    [second, 'Dossier'],
  ] as const) {
    const { record, inquiry } = await openStoredCase(shop, form.words);
    assert.deepEqual([record.tier, inquiry.payment_ref], [tier, form.paymentRef]);
  }
});

test('the page after submission can be reloaded with nothing but its address', async () => {
  const { status, text } = await shop.get('/inquiry/sent', { headers: sameOriginHeaders });
  assert.equal(status, 200);
  assert.match(text, /Enter your twelve words/);
  const session = await shop.createSession('Trace');
  await shop.sandbox.pay(session);
  const { cookie } = await openPlainForm(shop, session);
  const unsent = await shop.get('/inquiry/sent', { headers: { ...sameOriginHeaders, cookie } });
  assert.deepEqual([unsent.status, unsent.headers.location], [303, '/inquiry'], 'a form that is open still');
});
