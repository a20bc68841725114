/** Files from a real browser: sealed there, sent in pieces, and opened only with a key. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  findCaseByWords,
  openStoredCaseKey,
  openStoredFile,
  openStoredInquiry,
  readPrivateKey,
} from '#test/cases/stored-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { scale } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserTests, readDownload } from '../browser.ts';
import {
  type BrowserBuyer,
  clickSend,
  createBrowserBuyer,
  fillPaidInquiry,
  openCaseInBrowser,
  waitForOpenCase,
} from '../buyer.ts';

const MIB = 1024 * 1024;
const HIDDEN = 'taken at the canary pier';

const { browser, test } = await openBrowserTests();

const shop = await shareTestShop();

test(`a file of ${scale.browserFileMebibytes} MiB arrives whole: the desk opens it, and the buyer can fetch it back`, async (t) => {
  const content = randomBytes(scale.browserFileMebibytes * MIB);
  const file = join(await createTemporaryFolder(t), 'film.mp4');
  await writeFile(file, content);
  const buyer = await createBrowserBuyer(t, browser);
  const words = await sendInquiryWithFiles(buyer, [file]);
  const [opened] = await openInquiryFiles(words, 1);
  assert.deepEqual([opened?.name, opened?.mime], ['film.mp4', 'video/mp4']);
  assert.equal(computeSha256(opened?.content), computeSha256(content));

  await openCaseInBrowser(buyer, shop, words);
  const [download] = await Promise.all([
    buyer.page.waitForEvent('download'),
    buyer.page.getByRole('button', { name: 'Save film.mp4' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'film.mp4');
  assert.equal(computeSha256(await readDownload(download)), computeSha256(content));
});

test('a picture loses its hidden data in the browser, unless the buyer keeps it as evidence', async (t) => {
  const picture = { name: 'pier.jpg', mimeType: 'image/jpeg', buffer: createPhoto() };
  const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from(HIDDEN) };
  const buyer = await createBrowserBuyer(t, browser);
  const [stripped, text] = await openInquiryFiles(await sendInquiryWithFiles(buyer, [picture, note]), 2);
  assert.ok(!Buffer.from(stripped?.content ?? []).includes(HIDDEN));
  assert.equal(Buffer.from(text?.content ?? []).toString(), HIDDEN);

  const witness = await createBrowserBuyer(t, browser);
  const [kept] = await openInquiryFiles(await sendInquiryWithFiles(witness, [picture], true), 1);
  assert.deepEqual(Buffer.from(kept?.content ?? []), createPhoto());
});

test('a picture that is damaged is named, and can be kept as it is', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page } = buyer;
  await fillFormWithFiles(buyer, [
    { name: 'torn.jpg', mimeType: 'image/jpeg', buffer: createPhoto().subarray(0, 12) },
  ]);
  await clickSend(buyer);
  await page.locator('#files-error').waitFor();
  assert.match(await page.locator('#files-error').innerText(), /“torn\.jpg”: The hidden data/);
  await page.check('#keep_evidence');
  await clickSend(buyer);
  await waitForOpenCase(buyer);
});

async function openInquiryFiles(words: string, count: number) {
  const record = await findCaseByWords(shop, words);
  assert.ok(record);
  assert.equal(record.sealed_by, 'browser');
  const key = await openStoredCaseKey(shop, record, await readPrivateKey(shop.dataDir, 'desk'));
  assert.equal((await openStoredInquiry(shop, record, key)).files.length, count);
  return await Promise.all(
    Array.from({ length: count }, (_none, seq) => openStoredFile(shop, record, key, seq)),
  );
}

type Files = Exclude<Parameters<BrowserBuyer['page']['setInputFiles']>[1], string>;

async function fillFormWithFiles(buyer: BrowserBuyer, files: Files): Promise<string> {
  const words = await fillPaidInquiry(buyer, shop, 'Trace');
  await buyer.page.setInputFiles('#files', files);
  return words;
}

async function sendInquiryWithFiles(buyer: BrowserBuyer, files: Files, asEvidence = false): Promise<string> {
  const words = await fillFormWithFiles(buyer, files);
  if (asEvidence) await buyer.page.check('#keep_evidence');
  await clickSend(buyer);
  await waitForOpenCase(buyer);
  return words;
}

/** A comment, then the smallest scan. */
function createPhoto(): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, HIDDEN.length + 2, ...Buffer.from(HIDDEN)]);
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x12, 0x34]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, scan, Buffer.from([0xff, 0xd9])]);
}

function computeSha256(bytes: Uint8Array = new Uint8Array()): string {
  return createHash('sha256').update(bytes).digest('hex');
}
