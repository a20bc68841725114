/** The list of chosen files in a real browser: total size, immediate checks, removal, warnings about hidden data. */
import assert from 'node:assert/strict';
import { truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  findCaseByWords,
  openStoredCaseKey,
  openStoredFile,
  openStoredInquiry,
  readPrivateKey,
} from '#test/cases/stored-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserTests } from '../browser.ts';
import {
  clickSend,
  createBrowserBuyer,
  fillPaidInquiry,
  openPaidInquiry,
  waitForOpenCase,
} from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const MIB = 1024 * 1024;
const HIDDEN = 'SECRET PIER';
/** Two pixels by two, from the AVIF decoder check that many pages use. */
const AVIF = Buffer.from(
  'AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAB0AAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAAIAAAACAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgQ0MAAAAABNjb2xybmNseAACAAIAAYAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACVtZGF0EgAKCBgANogQEAwgMg8f8D///8WfhwB8+ErK42A=',
  'base64',
);

const { browser, test } = await openBrowserTests();
const shop = await shareTestShop();

test('chosen files are listed, checked and cleaned as the list says', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page } = buyer;
  const words = await fillPaidInquiry(buyer, shop, 'Trace');
  const rows = page.locator('.chosen li');
  const status = page.locator('.chosen [role=status]');
  const chooseFiles = async (...files: readonly (string | ChosenContent)[]) => {
    await page.setInputFiles('#files', files as string[]);
    await page.getByText('Looking at your files').waitFor({ state: 'detached' });
  };
  const webp = addExif(await drawWebp(page));
  const heic = Buffer.from(`\0\0\0\x18ftypheic\0\0\0\0mif1heic${HIDDEN}`);

  await t.test('several choices add up, and the same file counts once', async () => {
    const note = join(await createTemporaryFolder(t), 'note.txt');
    const second = join(dirname(note), 'second.txt');
    await Promise.all([writeFile(note, 'x'.repeat(1_536)), writeFile(second, 'seen in May')]);
    await chooseFiles(note);
    await chooseFiles(second, note);
    assert.deepEqual(await rows.locator('p:first-child').allInnerTexts(), [
      'note.txt 2 KB',
      'second.txt 11 bytes',
    ]);
    assert.equal(await status.innerText(), '2 files chosen.');
    assert.equal(await page.evaluate(`document.querySelector('#files').files.length`), 2);
  });

  await t.test('a file is removed by its button, and the focus stays in the list', async () => {
    await page.getByRole('button', { name: 'Remove note.txt' }).click();
    assert.equal(await rows.count(), 1);
    assert.equal(await status.innerText(), 'Removed: note.txt');
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Remove second.txt');
  });

  await t.test('empty and too large files, and too many, are refused at once and named', async () => {
    await chooseFiles(createText('nothing.txt', 0));
    assert.equal(await status.innerText(), '“nothing.txt” was left out: it is empty.');
    const long = join(await createTemporaryFolder(t), 'long.txt');
    await writeFile(long, '');
    await truncate(long, 25 * MIB + 1);
    await chooseFiles(long);
    assert.equal(await status.innerText(), '“long.txt” was left out: a file can be 25 MB at most.');
    await chooseFiles(...Array.from({ length: 10 }, (_none, index) => createText(`${index}.txt`, 1)));
    assert.equal(await status.innerText(), '“9.txt” was left out: you can send 10 files at most.');
    assert.equal(await rows.count(), 10);
    for (let index = 0; index < 9; index += 1)
      await page.getByRole('button', { name: `Remove ${index}.txt` }).click();
  });

  await t.test('each file says what becomes of its hidden data, also if that is to be kept', async () => {
    await chooseFiles(
      { name: 'pier.webp', mimeType: 'image/webp', buffer: webp },
      { name: 'pier.2.avif', mimeType: 'image/avif', buffer: Buffer.concat([AVIF, buildFreeBox()]) },
      { name: 'pier.heic', mimeType: 'image/heic', buffer: heic },
    );
    const notes = rows.locator('.hint, .caution');
    const unclean =
      /^This file may show where, when and with what device it was made\. We can’t take that out/;
    const readNotes = async () => await notes.allInnerTexts();
    const [cleaned, converted, kept] = await readNotes();
    assert.match(cleaned ?? '', /^We take location and camera details out/);
    assert.match(converted ?? '', /^Sent as a JPEG picture, without/);
    assert.match(kept ?? '', unclean);
    await page.check('#keep_evidence');
    assert.deepEqual(
      (await readNotes()).map((note) => unclean.test(note) || /stay in it, as you asked/.test(note)),
      [true, true, true],
    );
    await page.uncheck('#keep_evidence');
    await assertPageSoundEverywhere(page, 'chosen-files');
    await page.setViewportSize({ width: 390, height: 780 });
  });

  await clickSend(buyer);
  await waitForOpenCase(buyer);
  const [, cleaned, converted, kept] = await openInquiryFiles(words);
  assert.equal(cleaned?.name, 'pier.webp');
  assert.equal(cleaned?.content.length, webp.length);
  assert.ok(!Buffer.from(cleaned?.content ?? []).includes(HIDDEN));
  assert.deepEqual(await measurePicture(page, cleaned?.content, 'image/webp'), [7, 5]);
  assert.deepEqual([converted?.name, converted?.mime], ['pier.2.jpg', 'image/jpeg']);
  assert.ok(!Buffer.from(converted?.content ?? []).includes(HIDDEN));
  assert.deepEqual(await measurePicture(page, converted?.content, 'image/jpeg'), [2, 2]);
  assert.deepEqual(Buffer.from(kept?.content ?? []), heic);
  assert.deepEqual(buyer.complaints, []);
});

test('without a script the page says what is not cleaned', async (t) => {
  const buyer = await createBrowserBuyer(t, browser, { javaScriptEnabled: false });
  await openPaidInquiry(buyer, shop, 'Trace');
  const note = await buyer.page.locator('[data-part=unclean-kinds]').innerText();
  assert.match(note, /^We can clean JPEG, PNG and WebP pictures\. Anything else/);
});

interface ChosenContent {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

function createText(name: string, length: number): ChosenContent {
  return { name, mimeType: 'text/plain', buffer: Buffer.alloc(length, 'x') };
}

async function openInquiryFiles(words: string) {
  const record = await findCaseByWords(shop, words);
  assert.ok(record);
  const key = await openStoredCaseKey(shop, record, await readPrivateKey(shop.dataDir, 'desk'));
  const { files } = await openStoredInquiry(shop, record, key);
  return await Promise.all(files.map((_file, seq) => openStoredFile(shop, record, key, seq)));
}

/** Seven pixels by five. */
async function drawWebp(page: Page): Promise<Buffer> {
  const address = await page.evaluate<string>(`(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 7, height: 5 });
    canvas.getContext('2d').fillRect(0, 0, 3, 3);
    return canvas.toDataURL('image/webp');
  })()`);
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
}

function addExif(webp: Buffer): Buffer {
  const exif = Buffer.from(`EXIF\0\0\0\0MM\0*\0\0\0\x08${HIDDEN}!`, 'latin1');
  exif.writeUInt32LE(exif.length - 8, 4);
  const whole = Buffer.concat([webp, exif]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}

/** A part of an AVIF or HEIC that viewers skip. */
function buildFreeBox(): Buffer {
  const box = Buffer.from(`\0\0\0\0free${HIDDEN}`);
  box.writeUInt32BE(box.length, 0);
  return box;
}

async function measurePicture(
  page: Page,
  content: Uint8Array = new Uint8Array(),
  type = '',
): Promise<unknown> {
  const base64 = Buffer.from(content).toString('base64');
  return await page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob('${base64}'), (letter) => letter.codePointAt(0));
    const { width, height } = await createImageBitmap(new Blob([bytes], { type: '${type}' }));
    return [width, height];
  })()`);
}
