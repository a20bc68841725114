/** Files in a real browser: chosen, checked, cleaned, sealed, sent in pieces, and opened only with a key. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
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
import { createDeskCli, sendCase } from '#test/cli/desk-cli.ts';
import { scale } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBuyerTests } from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const MIB = 1024 * 1024;
const HIDDEN = 'SECRET PIER';
/** Two pixels by two, from the AVIF decoder check that many pages use. */
const AVIF = Buffer.from(
  'AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAB0AAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAAIAAAACAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgQ0MAAAAABNjb2xybmNseAACAAIAAYAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACVtZGF0EgAKCBgANogQEAwgMg8f8D///8WfhwB8+ErK42A=',
  'base64',
);

const shop = await shareTestShop();
const { createBuyer, test } = await openBuyerTests(shop);

test('chosen files are listed, checked and cleaned as the list says', async (buyer, t) => {
  const { page } = buyer;
  const words = await buyer.fillPaidForm('Trace');
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

  await buyer.sendUntilOpen();
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

test('without a script the page says what is not cleaned', async (_buyer, t) => {
  const buyer = await createBuyer(t, { javaScriptEnabled: false });
  await buyer.openPaidForm('Trace');
  const note = await buyer.page.locator('[data-part=unclean-kinds]').innerText();
  assert.match(note, /^We can clean JPEG, PNG and WebP pictures\. Anything else/);
});

test(`a picture that is damaged is named and can be kept as evidence; a file of ${scale.browserFileMebibytes} MiB arrives whole at the desk and comes back`, async (buyer, t) => {
  const content = randomBytes(scale.browserFileMebibytes * MIB);
  const folder = await createTemporaryFolder(t);
  const files = ['film.mp4', 'pier.jpg', 'torn.jpg'].map((name) => join(folder, name));
  const [film = '', photo = '', torn = ''] = files;
  await writeFile(film, content);
  await writeFile(photo, createPhoto());
  await writeFile(torn, createPhoto().subarray(0, 12));
  const { page } = buyer;
  const words = await buyer.fillPaidForm('Trace');
  await page.setInputFiles('#files', files);
  await buyer.send();
  await page.locator('#files-error').waitFor();
  assert.match(await page.locator('#files-error').innerText(), /“torn\.jpg”: The hidden data/);
  await page.check('#keep_evidence');
  await buyer.sendUntilOpen();
  const [opened, kept, ...others] = await openInquiryFiles(words);
  assert.equal(others.length, 1);
  assert.deepEqual([opened?.name, opened?.mime], ['film.mp4', 'video/mp4']);
  assert.ok(content.equals(opened?.content ?? Buffer.of()));
  assert.deepEqual(Buffer.from(kept?.content ?? []), createPhoto());

  await buyer.openCase(words);
  const { name, bytes } = await buyer.save('Save film.mp4');
  assert.equal(name, 'film.mp4');
  assert.ok(content.equals(bytes));
});

test('files go with a message, come back to the buyer and reach the desk', async (buyer, t) => {
  const { page } = buyer;
  const { words } = await sendCase(shop);
  await buyer.openCase(words);
  const film = randomBytes(700_000);
  await buyer.openPart('Add files');
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
  await buyer.write('As you asked.');
  assert.ok(isCut);
  assert.equal(new Set(pieces).size, pieces.length, 'no piece was stored twice');
  assert.equal(await page.locator('.chosen li').count(), 0);
  await page.locator('#message-count', { hasText: '4,000 characters left' }).waitFor();
  assert.equal(await page.locator('[data-part=sending]').innerText(), '');

  assert.deepEqual((await buyer.save('Save film.mp4')).bytes, film);
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
  assert.equal(record.sealed_by, 'browser');
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

/** A comment, then the smallest scan. */
function createPhoto(): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, HIDDEN.length + 2, ...Buffer.from(HIDDEN)]);
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x12, 0x34]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, scan, Buffer.from([0xff, 0xd9])]);
}
