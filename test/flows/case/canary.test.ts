/** What is typed in a browser that runs scripts reaches the service sealed, so canaries in it are found nowhere. */
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after } from 'node:test';
import { openContactMessage } from '#seal/case/contact-message.ts';
import { stripErasurePadding } from '#store/engine/overflow-bytes.ts';
import { readPrivateKey } from '#test/cases/stored-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { shareTestShop, type TestShop } from '#test/test-shop.ts';
import { type BrowserBuyer, openBuyerTests } from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

/** Every typed text contains one of these. Shorter ones could occur in sealed data by chance. */
const CANARY =
  /quillfeather|marrowcanary|00 canary|canaryfair|heroncanary|canary (?:mornings|in a|wrote|that)|canary-list/i;
const file = { name: 'canary-list.txt', mimeType: 'text/plain', buffer: Buffer.from('a canary in a file') };
const answer = 'The canary wrote back.';
const message = 'Please tell the canary that I wrote.';

const shop = await shareTestShop();
const { createBuyer, plainTest: test, prepare } = await openBuyerTests(shop);
const received = recordRequests(shop);
const scope = withReverseCleanup({ after });
let buyer: BrowserBuyer;
let words: string;

prepare(async () => {
  buyer = await createBuyer(scope);
  const { page } = buyer;
  await buyer.buy('Deep Sweep');
  words = await buyer.confirmWords();
  await buyer.fillForm();
  await page.setInputFiles('#files', [file]);
  await buyer.sendUntilOpen();
  await buyer.openCase(words);
  await buyer.write(answer);
  await openContactForm();
  await page.check('[name=topic][value=question]');
  await page.fill('#message', message);
  await buyer.send();
  await buyer.waitForTitle('Thank you');
});

async function openContactForm(): Promise<void> {
  await buyer.visit('/contact');
  await buyer.page.focus('#message');
  await buyer.waitForSealing();
}

test('nothing typed is in any request that the service received, and neither are the words', () => {
  const bodies = received().join('\n');
  assert.match(bodies, /lookup_token/);
  assert.match(bodies, /age-encryption\.org/);
  assert.doesNotMatch(bodies, CANARY);
  for (const text of listWordSpellings()) assert.ok(!bodies.includes(text), text);
});

test('nothing typed is in the records, in any other file of the service, or in its log', async () => {
  let files = 0;
  for await (const path of glob('**/*', { cwd: shop.dataDir })) {
    const bytes = await readFile(join(shop.dataDir, path)).catch(() => Buffer.alloc(0));
    files += 1;
    assert.doesNotMatch(bytes.toString('latin1'), CANARY, path);
    for (const text of listWordSpellings()) assert.ok(!bytes.includes(text), path);
  }
  assert.ok(files > 3);
  assert.match(shop.readLog(), /\/inquiry\/sealed/);
  assert.doesNotMatch(shop.readLog(), CANARY);
});

test('nothing stays in the browser either', async () => {
  const kept = await buyer.page.evaluate(
    `Promise.all([indexedDB.databases(), caches.keys()]).then(([databases, names]) => [localStorage.length, sessionStorage.length, databases.length, names.length, document.cookie, history.state])`,
  );
  assert.deepEqual(kept, [0, 0, 0, 0, '', null]);
  assert.deepEqual(buyer.complaints, []);
});

test('the desk can read the contact message all the same', async () => {
  const { sealed } = await shop.store.records
    .selectFrom('contact_messages')
    .select('sealed')
    .executeTakeFirstOrThrow();
  const opened = await openContactMessage(
    stripErasurePadding(sealed),
    await readPrivateKey(shop.dataDir, 'desk'),
  );
  assert.deepEqual(opened, { topic: 'question', message, reply_to: '' });
});

test('a contact message that is too short is told at its field and stays, and its pages are sound', async () => {
  const { page } = buyer;
  await openContactForm();
  await page.fill('#message', 'short');
  await buyer.send();
  await page.locator('#message-error').waitFor();
  assert.match(await page.locator('#problems').innerText(), /Choose what this is about[\s\S]*at least 10/);
  assert.equal(await page.inputValue('#message'), 'short');
  await assertPageSoundEverywhere(page, 'the contact form with problems');
  await page.check('[name=topic][value=press]');
  await page.fill('#message', 'When may we call you?');
  await buyer.send();
  await buyer.waitForTitle('Thank you');
  await assertPageSoundEverywhere(page, 'the contact form, sent');
});

/** Lists the possible spellings of the words. */
function listWordSpellings(): string[] {
  return [words, words.replaceAll(' ', '+'), words.replaceAll(' ', '%20'), words.replaceAll(' ', '","')];
}

/** Records each request with address and headers before any of our code reads it. */
function recordRequests({ app }: TestShop): () => string[] {
  const came: string[] = [];
  app.server.prependListener('request', (request: IncomingMessage) => {
    came.push(`${request.method} ${request.url}\n${request.rawHeaders.join('\n')}`);
    const push = request.push.bind(request);
    request.push = (chunk: unknown, encoding) => {
      if (chunk instanceof Uint8Array) came.push(Buffer.from(chunk).toString('latin1'));
      return push(chunk, encoding);
    };
  });
  return () => came;
}
