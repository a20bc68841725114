/** The private feed: says whether something is new to whoever has its token, and nothing to anybody else. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test, { after } from 'node:test';
import { purgeCaseNow } from '#cases/purge.ts';
import { applyCaseChange, applyDelivery } from '#cases/states.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { generateId } from '#platform/ids.ts';
import { deriveWordLookup, generateWords } from '#seal/words.ts';
import { insertObject } from '#store/objects.ts';
import { startTestShop } from '#test/test-shop.ts';
import { SEALED_CASE_PATHS } from '#wire/case-page.ts';
import { openPaidForm, plainFormFields, sameOriginHeaders, sendPlainForm } from './plain-form.ts';
import { findCaseByWords } from './stored-case.ts';

const time = { offset: 0 };
const clock = { now: () => Date.now() + time.offset };
const shop = await startTestShop({ after }, { clock });
const form = await openPaidForm(shop, 'Trace');
assert.equal((await sendPlainForm(shop, form, plainFormFields)).status, 200);
const { words } = form;
const { newsToken, newsHash, lookupToken } = deriveWordLookup(words);
const id = (await findCaseByWords(shop, words))?.id ?? '';
after(() => assert.ok(!shop.readLog().includes(newsToken)));

async function readFeed(token = newsToken) {
  const { status, text, bytes, headers } = await shop.get(`/news/${token}`);
  const [, feedTime, entryTime] = /<updated>(.*?)<\/updated>.*<updated>(.*?)<\/updated>/.exec(text) ?? [];
  const entryId = /<entry><id>(.*?)<\/id>/.exec(text)?.[1];
  return { status, text, headers, length: bytes.length, feedTime, entryTime, entryId };
}

/** Just after the next of the four hours. */
function waitForSlot(): void {
  const now = clock.now();
  time.offset += 6 * HOUR_MS - (now % (6 * HOUR_MS)) + 1_000;
}

test('the token comes from the words, and the service keeps its hash alone', async () => {
  assert.match(newsToken, /^[\w-]{22}$/);
  assert.equal(createHash('sha256').update(newsToken, 'base64url').digest('base64url'), newsHash);
  const record = await findCaseByWords(shop, words);
  assert.equal(record?.news_hash, newsHash);
  assert.ok(!JSON.stringify(record).includes(newsToken));
  assert.notEqual(deriveWordLookup(generateWords()).newsToken, newsToken);
});

test('the feed changes at the next of the four hours, always has the same length, and names nothing', async () => {
  const before = await readFeed();
  assert.equal(before.status, 200);
  assert.equal(before.headers['content-type'], 'application/atom+xml; charset=utf-8');
  assert.equal(before.headers['cache-control'], 'no-store');
  assert.equal(before.headers['referrer-policy'], 'no-referrer');
  assert.equal(before.headers['x-robots-tag'], 'noindex');
  assert.match(before.text, /There is nothing new\./);
  const message = { caseId: id, kind: 'desk-message.v1', seq: 0, bytes: Buffer.from('x') } as const;
  await shop.store.transaction((records) =>
    insertObject(records, { id: generateId(), ...message, now: clock.now() }),
  );
  const asked = await readFeed();
  assert.equal(asked.text, before.text, 'not before the hour');
  waitForSlot();
  const told = await readFeed();
  assert.match(told.text, /There is something new\./);
  assert.notEqual(told.entryId, before.entryId);
  assert.equal(told.length, before.length);
  assert.match(told.entryTime ?? '', /T(00|06|12|18):00:00/);
  assert.equal(told.feedTime, told.entryTime);
  for (const { text } of [before, told]) {
    assert.doesNotMatch(text, /Inquiry|Office|Trace|href|localhost/);
    for (const secret of [id, newsToken, newsHash, lookupToken]) assert.ok(!text.includes(secret));
  }
  assert.equal((await readFeed()).text, told.text);
});

test('a held finding is no news before its release, and later news has another id', async () => {
  const before = await readFeed();
  const releasedAt = clock.now() + 7 * HOUR_MS;
  await applyCaseChange(shop.services, id, (records, record) =>
    applyDelivery(records, record, releasedAt, clock.now()),
  );
  waitForSlot();
  assert.equal((await readFeed()).text, before.text);
  waitForSlot();
  const released = await readFeed();
  assert.notEqual(released.entryId, before.entryId);
  assert.equal(released.length, before.length);
});

test('an unknown, wrong or broken token and a deleted case look alike', async () => {
  await purgeCaseNow(shop.services, id);
  const gone = await readFeed();
  assert.equal(gone.status, 404);
  for (const token of [deriveWordLookup(generateWords()).newsToken, lookupToken, newsHash, 'x', '%20', 'ü'])
    assert.equal((await readFeed(encodeURI(token))).status, 404, token);
});

test('a case that came without the hash gets it from its page, with a script and without', async () => {
  const other = await openPaidForm(shop, 'Trace');
  assert.equal((await sendPlainForm(shop, other, plainFormFields)).status, 200);
  const keys = deriveWordLookup(other.words);
  const clearHash = async () =>
    await shop.store.records.updateTable('cases').set({ news_hash: null }).execute();
  await clearHash();
  assert.equal((await readFeed(keys.newsToken)).status, 404);
  const plain = { ...sameOriginHeaders, 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ words: other.words }).toString();
  const page = await shop.get('/case/feed', { method: 'POST', headers: plain, body });
  assert.ok(page.text.includes(`${shop.services.addresses.site}/news/${keys.newsToken}</p>`));
  assert.equal((await readFeed(keys.newsToken)).status, 200);
  await clearHash();
  const json = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const sent = JSON.stringify({ lookup_token: keys.lookupToken, news_hash: keys.newsHash });
  const answer = await shop.get(SEALED_CASE_PATHS.feed, { method: 'POST', headers: json, body: sent });
  assert.equal(answer.status, 204);
  assert.equal((await readFeed(keys.newsToken)).status, 200);
});

test('a feed may be asked for four times in an hour, whoever asks', async (t) => {
  const limited = await startTestShop(t, { env: { RATE_LIMIT: 'on' } });
  const statuses = await Array.fromAsync(
    { length: 6 },
    async () => (await limited.get(`/news/${newsToken}`)).status,
  );
  assert.deepEqual(statuses, [404, 404, 404, 404, 429, 429]);
  assert.equal((await limited.get(`/news/${deriveWordLookup(generateWords()).newsToken}`)).status, 404);
});
