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

test(`a picture that is damaged is named and can be kept as evidence; a file of ${scale.browserFileMebibytes} MiB arrives whole at the desk and comes back`, async (t) => {
  const content = randomBytes(scale.browserFileMebibytes * MIB);
  const folder = await createTemporaryFolder(t);
  const files = ['film.mp4', 'pier.jpg', 'torn.jpg'].map((name) => join(folder, name));
  const [film = '', photo = '', torn = ''] = files;
  await writeFile(film, content);
  await writeFile(photo, createPhoto());
  await writeFile(torn, createPhoto().subarray(0, 12));
  const buyer = await createBrowserBuyer(t, browser);
  const { page } = buyer;
  const words = await fillPaidInquiry(buyer, shop, 'Trace');
  await page.setInputFiles('#files', files);
  await clickSend(buyer);
  await page.locator('#files-error').waitFor();
  assert.match(await page.locator('#files-error').innerText(), /“torn\.jpg”: The hidden data/);
  await page.check('#keep_evidence');
  await clickSend(buyer);
  await waitForOpenCase(buyer);
  const [opened, kept] = await openInquiryFiles(words, 3);
  assert.deepEqual([opened?.name, opened?.mime], ['film.mp4', 'video/mp4']);
  assert.equal(computeSha256(opened?.content), computeSha256(content));
  assert.deepEqual(Buffer.from(kept?.content ?? []), createPhoto());

  await openCaseInBrowser(buyer, shop, words);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save film.mp4' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'film.mp4');
  assert.equal(computeSha256(await readDownload(download)), computeSha256(content));
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

/** A comment, then the smallest scan. */
function createPhoto(): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, HIDDEN.length + 2, ...Buffer.from(HIDDEN)]);
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x12, 0x34]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, scan, Buffer.from([0xff, 0xd9])]);
}

function computeSha256(bytes: Uint8Array = new Uint8Array()): string {
  return createHash('sha256').update(bytes).digest('hex');
}
