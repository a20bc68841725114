/** The whole life of a case without a script: question, answer, delivery, retention, withdrawal, erasure. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { deliverSealedFinding, toDeliveryUploader } from '#cases/delivery.ts';
import { createPurger } from '#cases/ending/purge.ts';
import { storeUpload } from '#cases/intake/uploads.ts';
import { openSealedCase } from '#cases/messages/decrypted-case.ts';
import { DAY_MS } from '#platform/durations.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import { silentLog } from '#test/store/engines.ts';
import { startTestShop } from '#test/test-shop.ts';
import { openPaidForm, postFormFields, sendPlainForm } from './plain-form.ts';
import { addSealedMessage } from './sealed-message.ts';
import { readPrivateKey, requireCaseByWords, requireContent } from './stored-case.ts';

let clockOffset = 0;
const shop = await startTestShop({ after }, { clock: { now: () => Date.now() + clockOffset } });
const form = await openPaidForm(shop, 'Dossier');
assert.equal((await sendPlainForm(shop, form)).status, 200);

async function postForm(path: string, fields: Record<string, string> = {}) {
  return await postFormFields(shop, path, { words: form.words, ...fields });
}

/** Opens the case as the desk, with the functions that its command line calls. */
async function openAtDesk() {
  const record = await requireCaseByWords(shop, form.words);
  const identity = await readPrivateKey(shop.dataDir, 'desk');
  const { key, messages } = await openSealedCase(await readSealedCase(shop.services, record), identity);
  const seq = messages.filter(({ by }) => by === 'desk').length;
  return { record, key, messages, seq };
}

/** Lists the parts of the page that the stylesheet prints. */
function listPrintedParts(page: string): (string | undefined)[] {
  return [...page.matchAll(/ class="(\w+) prints"/g)].map(([, part]) => part);
}

test('a question from the desk appears while the deadline still runs, and the buyer’s answer reaches the desk', async () => {
  const { record, key, seq } = await openAtDesk();
  const question = { by: 'desk', seq, act: 'ask', callAct: 'offer' } as const;
  const body = { text: 'Which name did she use? <b>', call_windows: [] };
  await addSealedMessage(shop.services, { id: record.id, key }, question, body);
  const questionPage = await postForm('/case');
  assert.match(questionPage.text, /We have a question for you/);
  assert.match(
    questionPage.text,
    /Our answer is due <time datetime="[^"]+Z">\w+ \d+ \w+, \d\d:\d\d UTC<\/time>, in 48 hours/,
  );
  assert.match(questionPage.text, /Which name did she use\? &lt;b&gt;/);
  assert.deepEqual(listPrintedParts(questionPage.text), ['told'], 'what was sent is printed alone');
  await assertValidHtml(questionPage.text, 'case-asked');

  const empty = await postForm('/case/message', { message: ' ', seq: '0' });
  assert.equal(empty.status, 422);
  assert.match(empty.text, /Write something/);
  await assertValidHtml(empty.text, 'case-empty-message');

  const answer = { message: 'She wrote as\r\n“Ann”.', seq: '0' };
  for (const answered of [await postForm('/case/message', answer), await postForm('/case/message', answer)]) {
    assert.equal(answered.status, 200, answered.text);
    assert.match(answered.text, /Your message was sent/);
    assert.match(answered.text, /An investigator is working on it/);
  }
  const { messages } = await openAtDesk();
  assert.deepEqual(
    messages.map(({ by, said }) => [by, requireContent(said).text]),
    [
      ['desk', 'Which name did she use? <b>'],
      ['buyer', 'She wrote as\n“Ann”.'],
    ],
  );
});

test('a second message with the same sequence number gets the next number, so nothing is lost', async () => {
  assert.equal((await postForm('/case/message', { message: 'And as “Bea”.', seq: '0' })).status, 200);
  const { messages } = await openAtDesk();
  assert.deepEqual(
    messages.filter(({ by }) => by === 'buyer').map(({ said }) => requireContent(said).text),
    ['She wrote as\n“Ann”.', 'And as “Bea”.'],
  );
});

test('before delivery a case can be withdrawn but not erased, and both need a confirmation', async () => {
  const early = await postForm('/case/purge', { erase: 'DELETE' });
  assert.match(early.text, /Your case has moved on since this page was loaded/);
  const unconfirmed = await postForm('/case/withdraw');
  assert.equal(unconfirmed.status, 422);
  assert.equal((await requireCaseByWords(shop, form.words)).state, 'in_progress');
});

test('the finding is delivered with its text, its file and its purge date', async () => {
  const { record, key } = await openAtDesk();
  const uploader = toDeliveryUploader(record.id);
  const content = new TextEncoder().encode('evidence '.repeat(100_000));
  const place = { kind: 'finding-file.v1', seq: 0 } as const;
  const file = { name: 'Zeuge “1”.pdf', mime: 'application/pdf', maxBytes: 10_000_000 };
  const sealed = await sealFile(key, place, { ...file, content: ReadableStream.from([content]) });
  const upload = await storeUpload(shop.services, uploader, sealed);
  const finding = await sealEnvelope(
    key,
    { kind: 'finding.v1', seq: 0 },
    { markdown: '# She is Ann\n<script>', files: [{ ...file, maxBytes: undefined, size: content.length }] },
  );
  const delivered = await deliverSealedFinding(shop.services, record.id, {
    finding,
    files: [upload],
    uploader,
  });
  assert.equal((delivered.purge_at ?? 0) - (delivered.delivered_at ?? 0), 30 * DAY_MS);
  const page = await postForm('/case');
  assert.match(page.text, /Your answer is here/);
  assert.match(page.text, /<h3>She is Ann<\/h3>[\s\S]*&lt;script&gt;/);
  assert.match(
    page.text,
    /We will delete this case on <time [^>]+>\w+, \d+ \w+ \d{4}, \d\d:\d\d UTC<\/time>, (29|30) days from now/,
  );
  assert.deepEqual(listPrintedParts(page.text), ['paper'], 'the answer is printed alone');
  await assertValidHtml(page.text, 'case-delivered');
  const saved = await postForm('/case/file', { kind: 'finding-file.v1', seq: '0' });
  assert.equal(saved.status, 200);
  assert.equal(saved.headers['content-type'], 'application/octet-stream');
  assert.equal(
    saved.headers['content-disposition'],
    "attachment; filename*=UTF-8''Zeuge%20%E2%80%9C1%E2%80%9D.pdf",
  );
  assert.deepEqual(new Uint8Array(saved.bytes), content);
  assert.equal((await postForm('/case/file', { kind: 'finding-file.v1', seq: '1' })).status, 404);
});

test('the buyer can extend the retention of the case, and undo that', async () => {
  const keepPage = await postForm('/case/keep', { keep_days: '180' });
  assert.match(keepPage.text, /We will delete this case 180 days after our answer/);
  const stored = await requireCaseByWords(shop, form.words);
  assert.equal((stored.purge_at ?? 0) - (stored.delivered_at ?? 0), 180 * DAY_MS);
  assert.match((await postForm('/case/keep', { keep_days: '30' })).text, /30 days after our answer/);
  assert.equal((await postForm('/case/keep', { keep_days: '31' })).status, 422);
  assert.match(
    (await postForm('/case/withdraw', { withdraw_sure: 'yes' })).text,
    /Your case has moved on since this page was loaded/,
  );
});

test('a week before the purge the page says how to keep the case; after the purge it says that the case is gone', async () => {
  const stored = await requireCaseByWords(shop, form.words);
  clockOffset = (stored.purge_at ?? 0) - Date.now() - 2 * DAY_MS;
  assert.match((await postForm('/case')).text, /If you need it longer, choose a later day/);
  clockOffset += 2 * DAY_MS + 1;
  const duePage = await postForm('/case');
  assert.equal(duePage.status, 410, 'before the purge has run');
  assert.match(duePage.text, /The last of it is being deleted right now/);
  await createPurger(shop.services, silentLog).run();
  const purgedPage = await postForm('/case');
  assert.equal(purgedPage.status, 410);
  assert.match(purgedPage.text, /We deleted this case on \d+ \w+ \d{4}\. What was in it is gone for good/);
  await assertValidHtml(purgedPage.text, 'case-purged');
  clockOffset += 31 * DAY_MS;
  await createPurger(shop.services, silentLog).run();
  assert.match((await postForm('/case')).text, /No case opens with these words/);
});
