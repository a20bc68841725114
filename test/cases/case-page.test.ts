/** The case page: correct words open the case in any spelling; all wrong words get the same response at equal cost. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { SealingStepName } from '#cases/sealing-thread/steps.ts';
import { ServiceError } from '#platform/errors.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { countStatements, watchDrivers } from '#test/store/statement-counter.ts';
import { startTestShop } from '#test/test-shop.ts';
import {
  openPaidForm,
  plainFormFields,
  postFormFields,
  postFromScript,
  sendPlainForm,
} from './plain-form.ts';
import { recruiterInquiry } from './sealed-form.ts';
import { readStoredObject } from './stored-case.ts';

watchDrivers();
const shop = await startTestShop({ after });

/** Lists the queried tables in order. */
async function listQueriedTables(work: () => Promise<unknown>): Promise<string[]> {
  const statements = await countStatements(work);
  return statements.map(({ text }) => text.match(/ from "(\w+)"/)?.[1] ?? text);
}
const form = await openPaidForm(shop, 'Deep Sweep');
const sent = await sendPlainForm(shop, form, { ...plainFormFields, keep_days: '90' });
assert.equal(sent.status, 200, sent.text);
const words = form.words.split(' ');

async function postWords(text: string) {
  return await postFormFields(shop, '/case', { words: text });
}

async function postLookup(body: unknown) {
  return await postFromScript(shop, '/case/sealed', body);
}

test('the words open the case, also in capitals, with numbers and with invisible characters', async () => {
  const copied = words.map((word, index) => `${index + 1}. ${word.toUpperCase()}\u200b`).join('\r\n');
  for (const text of [form.words, copied]) {
    const answer = await postWords(text);
    assert.equal(answer.status, 200, answer.text);
    for (const says of [
      /We have your question/,
      /Deep Sweep/,
      /90 days after our answer/,
      /in 48 hours/,
      /CANARY-QUESTION/,
      /No, our server locked it on arrival/,
    ])
      assert.match(answer.text, says);
    const visible = answer.text.replaceAll(`<input type="hidden" name="words" value="${form.words}">`, '');
    assert.ok(!visible.includes(words.slice(0, 3).join(' ')), 'they come back for the next form alone');
    assert.equal(answer.headers['cache-control'], 'no-store');
  }
});

test('malformed words get status 422 with the reason, and the page does not repeat them', async () => {
  const swapped = [words[1], words[0], ...words.slice(2)].join(' ');
  const wrong: [text: string, says: RegExp][] = [
    ['', /Enter the twelve words/],
    [words.slice(0, 11).join(' '), /You entered 11 words/],
    [`${form.words} ${words[0]}`, /These are more than twelve words/],
    [words.with(3, 'sekretword').join(' '), /Check word 4: it isn’t one/],
    [words.with(0, '<script>').with(11, 'sekretword').join(' '), /Check word 12: it isn’t one/],
    [words.join(''), /Check word 1: it isn’t one/],
  ];
  if (words[0] !== words[1]) wrong.push([swapped, /do not fit together|No case opens/]);
  // The page's fixed text may happen to contain one of the words.
  const others = generateWords();
  const eleven = others.slice(others.indexOf(' '));
  const usualEntries = ['', 'x', others, eleven, `zoo ${eleven}`];
  const usual = (await Promise.all(usualEntries.map(postWords))).map(({ text }) => text).join();
  for (const [text, says] of wrong) {
    const { status, text: page } = await postWords(text);
    assert.equal(status, 422);
    assert.match(page, says);
    assert.match(page, /<title>Error/);
    assert.match(page, /<textarea[^>]*>\s*<\/textarea>/);
    assert.doesNotMatch(page, /sekretword/);
    const repeatedWords = words.filter((word) => page.includes(word) && !usual.includes(word));
    assert.deepEqual(repeatedWords, []);
  }
});

test('well-formed words without a case get the same page and run the same queries', async () => {
  const pages = new Set<string>();
  for (let round = 0; round < 5; round += 1) {
    const tables = await listQueriedTables(async () => {
      const { status, text } = await postWords(generateWords());
      assert.equal(status, 422);
      pages.add(text);
    });
    assert.deepEqual(tables, ['cases', 'tombstones']);
  }
  assert.equal(pages.size, 1);
  assert.match([...pages][0] ?? '', /No case opens with these words/);
});

test('while nothing can be opened, words of no case are still told so, and others are asked to come back', async (t) => {
  for (const step of Object.keys(shop.services.sealing) as SealingStepName[])
    t.mock.method(shop.services.sealing, step, async () => {
      throw new ServiceError('sealing_unavailable');
    });
  const unknown = await postWords(generateWords());
  assert.equal(unknown.status, 422);
  assert.match(unknown.text, /No case opens with these words/);
  const known = await postWords(form.words);
  assert.deepEqual([known.status, known.headers['retry-after']], [503, '5']);
  assert.match(known.text, /could not be locked or opened/);
});

test('the lookup token derived from the words finds the sealed case', async () => {
  const { lookupToken } = await deriveWordKeys(form.words);
  const { status, json } = await postLookup({ lookup_token: lookupToken });
  assert.equal(status, 200);
  assert.equal(
    Object.keys(json).toSorted().join(' '),
    'call_asked call_booked case_key clock cursor deletion keep_days look_again may money more objects rows sentences state steps title withdrawal',
  );
  assert.doesNotMatch(JSON.stringify(json), new RegExp(recruiterInquiry.subject));
  const record = await shop.store.records.selectFrom('cases').selectAll().executeTakeFirstOrThrow();
  const inquiry = await readStoredObject(shop, record, 'inquiry.v1', 0);
  const [first] = json['objects'] as { kind: string; sealed: string }[];
  assert.deepEqual([first?.kind, first?.sealed], ['inquiry.v1', Buffer.from(inquiry).toString('base64url')]);
});

test('another token finds nothing with the same queries, and neither does the hash of a token', async () => {
  const { lookupHash } = await deriveWordKeys(form.words);
  const { lookupToken: other } = await deriveWordKeys(generateWords());
  const texts = new Set<string>();
  for (const token of [lookupHash, other, 'A'.repeat(43)]) {
    const tables = await listQueriedTables(async () => {
      const { status, json } = await postLookup({ lookup_token: token });
      assert.deepEqual([status, json['code']], [404, 'case_unknown']);
      texts.add(JSON.stringify({ ...json, request_id: '' }));
    });
    assert.deepEqual(tables, ['cases', 'tombstones']);
  }
  assert.equal(texts.size, 1);
});

test('a malformed token is refused without a server error', async () => {
  const { lookupToken } = await deriveWordKeys(form.words);
  for (const malformed of [
    {},
    { lookup_token: '' },
    { lookup_token: `${'A'.repeat(42)}B` },
    { lookup_token: lookupToken.slice(1) },
    { lookup_token: `${lookupToken}=` },
    { lookup_token: [lookupToken] },
    { lookup_token: lookupToken, words: form.words },
  ]) {
    const { status, json } = await postLookup(malformed);
    assert.deepEqual([status, json['code']], [422, 'validation_failed'], JSON.stringify(malformed));
    assert.ok(!JSON.stringify(json).includes(form.words));
  }
});

test('a form from another site opens nothing', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' };
  const body = new URLSearchParams({ words: form.words }).toString();
  assert.equal((await shop.get('/case', { method: 'POST', headers, body })).status, 403);
});

test('no secret word was written to the log, and there was no server error', () => {
  const log = shop.readLog();
  for (const canary of [form.words, words.join(''), 'sekretword', 'CANARY', 'request_failed'])
    assert.ok(!log.includes(canary), canary);
});
