/** Requesting notices about news on the case page, with and without a script: only with the words. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { openNoticeAddress } from '#cases/notices/notice-address.ts';
import { deriveWordLookup, generateWords } from '#seal/core/words.ts';
import { findNotice } from '#store/cases/notices.ts';
import { startTestShop } from '#test/test-shop.ts';
import { SEALED_CASE_PATHS } from '#wire/case-page.ts';
import { openPlainCase, sameOriginHeaders } from './plain-form.ts';
import { findCaseByWords } from './stored-case.ts';

const ADDRESS = 'notice-canary@example.org';
const shop = await startTestShop({ after });
after(() => assert.doesNotMatch(shop.readLog(), /canary|example\.org/));
const words = await openPlainCase(shop);
const lookup_token = deriveWordLookup(words).lookupToken;

async function postPlain(path: string, fields: Record<string, string>, headers = sameOriginHeaders) {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ words, ...fields }).toString();
  return await shop.get(path, { method: 'POST', headers: { ...headers, ...type }, body });
}

async function postSealed(path: string, body: object, site = 'same-origin') {
  const headers = { accept: 'application/json', 'sec-fetch-site': site, 'content-type': 'application/json' };
  return await shop.get(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function readAddress(): Promise<string | null> {
  const record = await findCaseByWords(shop, words);
  const notice = record?.notice_id ? await findNotice(shop.store.records, record.notice_id) : undefined;
  return notice ? openNoticeAddress(shop.services.keyring, notice).address : null;
}

test('the page says what a notice costs before it takes an address', async () => {
  const { text } = await postPlain('/case', {});
  const price = text.indexOf('Email has its risks.');
  assert.ok(price > 0 && price < text.indexOf('id="notice_address"'));
  assert.match(text, /Don’t use the one you paid with/);
  assert.match(text, /id="silence"[^>]* hidden/);
});

test('without a script an address is taken, changed and removed, and never shown again', async () => {
  for (const address of ['first-canary@example.org', ADDRESS]) {
    const { status, text } = await postPlain('/case/notify', { notice_address: ` ${address} ` });
    assert.equal(status, 200);
    assert.match(text, /role="status">We’ll email you when there’s something new\./);
    assert.doesNotMatch(text, /canary@example|id="silence"[^>]* hidden/);
    assert.equal(await readAddress(), address);
  }
  const stopped = await postPlain('/case/silence', {});
  assert.match(stopped.text, /role="status">We have deleted your address/);
  assert.equal(await readAddress(), null);
  assert.deepEqual(await shop.store.records.selectFrom('notices').select('id').execute(), []);
});

test('what is no address is shown at its field, with what was typed, and changes nothing', async () => {
  for (const address of ['', '"><script>', 'x'.repeat(5_000)]) {
    const { status, text } = await postPlain('/case/notify', { notice_address: address });
    assert.equal(status, 422);
    assert.match(text, /<a href="#notice_address">Enter one email address/);
    assert.doesNotMatch(text, /<script>"/);
  }
  assert.equal(await readAddress(), null);
});

test('with a script the same is asked for with the token that the words give', async () => {
  const { status, json } = await postSealed(SEALED_CASE_PATHS.notify, { lookup_token, address: ADDRESS });
  assert.deepEqual([status, Object(json['may'])['silence']], [200, true]);
  assert.equal(await readAddress(), ADDRESS);
  for (const address of ['', 'no-address', 'a@b\r\nTo: c@d', ['a@b']]) {
    const refused = await postSealed(SEALED_CASE_PATHS.notify, { lookup_token, address });
    assert.deepEqual([refused.status, refused.json['code']], [422, 'validation_failed']);
  }
  const long = await postSealed(SEALED_CASE_PATHS.notify, { lookup_token, address: 'x'.repeat(400) });
  assert.equal(long.status, 422);
  assert.equal(await readAddress(), ADDRESS);
  const ended = await postSealed(SEALED_CASE_PATHS.silence, { lookup_token });
  assert.equal(Object(ended.json['may'])['silence'], false);
  assert.equal(await readAddress(), null);
});

test('other words, another site and a call without words change nothing', async () => {
  const stranger = deriveWordLookup(generateWords()).lookupToken;
  for (const path of [SEALED_CASE_PATHS.notify, SEALED_CASE_PATHS.silence]) {
    const address = path === SEALED_CASE_PATHS.notify ? { address: ADDRESS } : {};
    assert.equal((await postSealed(path, { lookup_token: stranger, ...address })).status, 404);
    assert.equal((await postSealed(path, { lookup_token, ...address }, 'cross-site')).status, 403);
    assert.equal((await postSealed(path, address)).status, 422);
  }
  const unknown = await postPlain('/case/notify', { words: generateWords(), notice_address: ADDRESS });
  assert.match(unknown.text, /No case opens with these words/);
  assert.equal(await readAddress(), null);
});
