/** Files from a real browser: sealed there, sent in pieces, and opened by nobody but the holders of a key. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { caseOf, fileOf, inquiryOf, keyOf, privateKey } from '#test/cases/opened.ts';
import { ownFolder } from '#test/folder.ts';
import { openShop, type Shop } from '#test/shop.ts';
import { findBrowser } from './browser.ts';
import { type Buyer, buy, fillIn, keepWords, newBuyer, send, waitUntilSent } from './buyer.ts';

const MIB = 1024 * 1024;
const HIDDEN = 'taken at the canary pier';

const browser = await findBrowser({ after });

if (browser !== null) {
  const shop = await openShop({ after });

  test('a file of 25 MiB arrives whole, and the desk opens it', async (t) => {
    const content = randomBytes(25 * MIB);
    const file = join(await ownFolder(t), 'film.mp4');
    await writeFile(file, content);
    const buyer = await newBuyer(t, browser);
    const words = await sendWith(buyer, shop, [file]);
    const [opened] = await filesOf(words, 1);
    assert.deepEqual([opened?.name, opened?.mime], ['film.mp4', 'video/mp4']);
    assert.equal(hashOf(opened?.content), hashOf(content));
  });

  test('a picture loses its hidden data in the browser, unless the buyer keeps it as evidence', async (t) => {
    const picture = { name: 'pier.jpg', mimeType: 'image/jpeg', buffer: photo() };
    const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from(HIDDEN) };
    const buyer = await newBuyer(t, browser);
    const [stripped, text] = await filesOf(await sendWith(buyer, shop, [picture, note]), 2);
    assert.ok(!Buffer.from(stripped?.content ?? []).includes(HIDDEN));
    assert.equal(Buffer.from(text?.content ?? []).toString(), HIDDEN);

    const witness = await newBuyer(t, browser);
    const [kept] = await filesOf(await sendWith(witness, shop, [picture], true), 1);
    assert.deepEqual(Buffer.from(kept?.content ?? []), photo());
  });

  test('a picture that is damaged is named, and can be kept as it is', async (t) => {
    const buyer = await newBuyer(t, browser);
    const { page } = buyer;
    await fill(buyer, shop, [{ name: 'torn.jpg', mimeType: 'image/jpeg', buffer: photo().subarray(0, 12) }]);
    await send(buyer);
    await page.locator('#files-error').waitFor();
    assert.match(await page.locator('#files-error').innerText(), /torn\.jpg: The hidden data/);
    await page.check('#keep_evidence');
    await send(buyer);
    await waitUntilSent(buyer);
  });

  test('a file over the limit is refused before anything is sent', async (t) => {
    const file = join(await ownFolder(t), 'long.mp4');
    await writeFile(file, Buffer.alloc(25 * MIB + 1));
    const buyer = await newBuyer(t, browser);
    let sent = 0;
    buyer.page.on('request', (request) => {
      if (request.method() !== 'GET') sent += 1;
    });
    await fill(buyer, shop, [file]);
    const before = sent;
    await send(buyer);
    await buyer.page.locator('#files-error').waitFor();
    assert.match(await buyer.page.locator('#files-error').innerText(), /File 1: .*25 MiB/);
    assert.equal(sent, before);
  });

  async function filesOf(words: string, count: number) {
    const record = await caseOf(shop, words);
    assert.ok(record);
    assert.equal(record.sealed_by, 'browser');
    const key = await keyOf(record, await privateKey(shop.dataDir, 'desk'));
    assert.equal((await inquiryOf(shop, record, key)).files.length, count);
    return await Promise.all(Array.from({ length: count }, (_none, seq) => fileOf(shop, record, key, seq)));
  }
}

type Files = Exclude<Parameters<Buyer['page']['setInputFiles']>[1], string>;

async function fill(buyer: Buyer, shop: Shop, files: Files): Promise<string> {
  await buy(buyer, shop, 'Trace');
  const words = await keepWords(buyer);
  await fillIn(buyer);
  await buyer.page.setInputFiles('#files', files);
  return words;
}

async function sendWith(buyer: Buyer, shop: Shop, files: Files, asEvidence = false): Promise<string> {
  const words = await fill(buyer, shop, files);
  if (asEvidence) await buyer.page.check('#keep_evidence');
  await send(buyer);
  await waitUntilSent(buyer);
  return words;
}

/** A comment, then the smallest scan. */
function photo(): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, HIDDEN.length + 2, ...Buffer.from(HIDDEN)]);
  const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x12, 0x34]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, scan, Buffer.from([0xff, 0xd9])]);
}

function hashOf(bytes: Uint8Array = new Uint8Array()): string {
  return createHash('sha256').update(bytes).digest('hex');
}
