/** Files with a later message, in a real browser: listed, cleaned, sealed, interrupted, resumed, read by the desk. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findCaseByWords } from '#test/cases/stored-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createDeskCli, sendCase } from '#test/cli/desk-cli.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserTests, readDownload } from '../browser.ts';
import { createBrowserBuyer, openCaseInBrowser, openPart } from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const HIDDEN = 'SECRET PIER';
const { browser, test } = await openBrowserTests();
const shop = await shareTestShop();

test('files go with a message, come back to the buyer and reach the desk', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page } = buyer;
  const { words } = await sendCase(shop);
  await openCaseInBrowser(buyer, shop, words);
  await page.locator('#write').waitFor();

  const film = randomBytes(700_000);
  await openPart(page, 'Add files');
  await page.setInputFiles('#files', [
    { name: 'pier.jpg', mimeType: 'image/jpeg', buffer: createPhoto() },
    { name: 'film.mp4', mimeType: 'video/mp4', buffer: film },
    { name: 'nothing.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
  ]);
  await page.getByText('“nothing.txt” was left out: it is empty.').waitFor();
  const notes = await page.locator('.chosen li').allInnerTexts();
  assert.match(notes[0] ?? '', /We take location and camera details out/);
  assert.match(notes[1] ?? '', /This file may show where, when and with what device it was made/);
  await assertPageSoundEverywhere(page, 'message-files-chosen');

  let isCut = false;
  const pieces: string[] = [];
  await page.route('**/case/sealed/uploads/**', async (route) => {
    // The upload of the second file is interrupted once.
    if (pieces.length === 2 && !isCut) {
      isCut = true;
      return await route.abort('connectionreset');
    }
    pieces.push(new URL(route.request().url()).pathname);
    return await route.continue();
  });
  await page.fill('#message', 'As you asked.');
  await page.locator('#write button[type=submit]').click();
  await page.getByText('Your message was sent.').waitFor();
  assert.ok(isCut);
  assert.equal(new Set(pieces).size, pieces.length, 'no piece was stored twice');
  assert.equal(await page.locator('.chosen li').count(), 0);
  await page.locator('#message-count', { hasText: '4,000 characters left' }).waitFor();
  assert.equal(await page.locator('[data-part=sending]').innerText(), '');

  const save = page.locator('.entry.buyer').getByRole('button', { name: 'Save film.mp4' });
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
  assert.deepEqual(await readDownload(download), film);
  await assertPageSoundEverywhere(page, 'message-files-sent');

  const desk = createDeskCli(shop);
  const id = (await findCaseByWords(shop, words))?.id ?? '';
  const folder = join(await createTemporaryFolder(t), 'out');
  const shown = await desk.runForText('cases', 'open', id, '--key', desk.key, '--out', folder);
  assert.match(shown, /Files:\s+pier\.jpg, \d+ bytes\s+film\.mp4, 684 KB/);
  assert.deepEqual((await readdir(folder)).toSorted(), ['message-1-pier.jpg', 'message-2-film.mp4']);
  assert.deepEqual(await readFile(join(folder, 'message-2-film.mp4')), film);
  assert.ok(!(await readFile(join(folder, 'message-1-pier.jpg'))).includes(HIDDEN));
  assert.deepEqual(
    buyer.complaints.filter((complaint) => !complaint.includes('ERR_CONNECTION_RESET')),
    [],
  );
});

/** A comment, then the smallest scan. */
function createPhoto(): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, HIDDEN.length + 2, ...Buffer.from(HIDDEN)]);
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x12, 0x34]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, scan, Buffer.from([0xff, 0xd9])]);
}
