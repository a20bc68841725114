/** Copies for the buyer: the answer saved and printed alone, the buyer's own text, and everything in one archive. */

import assert from 'node:assert/strict';
import { english } from '#language/languages.ts';
import { openPlainCase, plainFormFields } from '#test/cases/plain-form.ts';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { readPrintedLines } from '../browser.ts';
import { openBuyerTests } from '../buyer.ts';
import { askFromDesk, deliverFindingFromDesk } from '../desk-side.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const shop = await shareTestShop();
const { createBuyer, prepare, test } = await openBuyerTests(shop);

const markdown = `# She is *Ann*

<script>alert(1)</script>

Her page & mine: [here](https://example.org/?a="b"&c)

| when | where |
|---|---|
| May | Rome |`;
const sentFile = { name: 'letter.txt', content: new TextEncoder().encode('Dear you') };
const foundFiles = [
  { name: '.profile', content: 'one' },
  { name: 'CON.txt', content: 'two' },
  { name: 'proof.txt', content: 'three' },
  { name: 'PROOF.TXT', content: 'four' },
  { name: 'film.bin', content: 'x'.repeat(700_000) },
].map(({ name, content }) => ({ name, mime: 'text/plain', content: new TextEncoder().encode(content) }));

let words = '';
prepare(async () => {
  words = await openPlainCase(shop, 'Trace', plainFormFields, [sentFile]);
  await askFromDesk(shop, words, 'Which name did she use?');
  await deliverFindingFromDesk(shop, words, markdown, foundFiles);
});

test('the answer is saved as a page, what was sent as a text, and everything in one archive, under names that tell nothing and lead nowhere', async (buyer) => {
  const { page, complaints } = buyer;
  await buyer.openCase(words);
  const above = await page.getByText('Her page & mine').boundingBox();
  const row = await page.locator('.paper td').first().boundingBox();
  assert.ok(above && row && row.y - above.y - above.height < 40, 'its folded head takes no room on a phone');
  const answer = await buyer.save('Save the answer');
  assert.equal(answer.name, 'notes.html');
  await page
    .getByRole('status')
    .filter({ hasText: english['copy.saved'].replace('{$name}', 'notes.html') })
    .waitFor();
  const text = answer.bytes.toString();
  assert.ok(!text.includes('<script') && !text.includes('Inquiry Office') && !text.includes(shop.origin));
  assert.ok(!text.includes(plainFormFields.question));
  const other = await page.context().newPage();
  await other.setContent(text);
  assert.equal(await other.title(), 'Notes');
  assert.equal(await other.locator('h3').innerText(), 'She is Ann');
  assert.ok((await other.locator('body').innerText()).includes('<script>alert(1)</script>'));
  assert.ok(await other.getByText('Her page & mine: here').isVisible());
  assert.equal(await other.locator('a').getAttribute('rel'), 'noreferrer');
  assert.deepEqual(await other.locator('td').allInnerTexts(), ['May', 'Rome']);
  const lines = await other.evaluate("getComputedStyle(document.querySelector('td')).borderTopStyle");
  assert.equal(lines, 'solid', 'its table can be read');
  await buyer.openPart('What you sent');
  const sent = await buyer.save('Save what you sent');
  assert.equal(sent.name, 'notes.txt');
  assert.ok(sent.bytes.toString().includes(plainFormFields.question));

  await buyer.openPart(english['copy.all']);
  const { name, bytes } = await buyer.save('Save everything in one file');
  assert.equal(name, 'notes.zip');
  const entries = readArchive(bytes);
  assert.deepEqual(
    [...entries.keys()],
    [
      'what I sent.txt',
      'messages.txt',
      'answer.html',
      'files I sent/letter.txt',
      'files with the answer/profile',
      'files with the answer/_CON.txt',
      'files with the answer/proof.txt',
      'files with the answer/PROOF (2).TXT',
      'files with the answer/film.bin',
    ],
  );
  assert.equal(entries.get('files I sent/letter.txt')?.toString(), 'Dear you');
  assert.equal(entries.get('files with the answer/PROOF (2).TXT')?.toString(), 'four');
  assert.equal(entries.get('files with the answer/film.bin')?.length, 700_000);
  assert.match(
    entries.get('messages.txt')?.toString() ?? '',
    /^Investigator, .* UTC\nWhich name did she use\?\n/,
  );
  await page.getByRole('status').filter({ hasText: 'Saved as notes.zip.' }).waitFor();
  await assertPageSoundEverywhere(page, 'the case with its copies');
  assert.deepEqual(complaints, []);
});

test('printing prints the answer alone, by the button and by the menu of the browser; the own text too', async (buyer) => {
  const { page } = buyer;
  await buyer.openCase(words);
  const title = await page.title();
  const readPrinted = async () => (await readPrintedLines(page)).join('\n');
  const assertAnswerAlone = async () => {
    const printed = await readPrinted();
    assert.match(printed, /^She is Ann\s/);
    for (const other of ['Inquiry Office', plainFormFields.question, 'Messages', 'Save', shop.origin])
      assert.ok(!printed.includes(other), other);
  };
  await assertAnswerAlone();
  const pdf = (await page.pdf()).toString('latin1');
  assert.match(pdf, /\/Title \(Notes\)/);
  assert.equal(await page.title(), title);
  await page.evaluate(`globalThis.print = () => { globalThis.printed = true; }`);
  await buyer.openPart('What you sent');
  await page.getByRole('button', { name: 'Print what you sent' }).click();
  const sent = await readPrinted();
  assert.ok(sent.includes(plainFormFields.question));
  assert.ok(!sent.includes('Inquiry Office') && !sent.includes('She is Ann'));
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  await page.getByRole('button', { name: 'Print the answer' }).click();
  assert.equal(await page.evaluate('printed'), true);
  await assertAnswerAlone();
});

test('a damaged file is named in the archive and keeps nothing else back; without the service nothing is saved', async (buyer) => {
  const { page } = buyer;
  await buyer.openCase(words);
  let cuts = 0;
  await page.route('**/case/sealed/file', async (route) => {
    const { kind, seq } = route.request().postDataJSON() as { kind: string; seq: number };
    const body = await (await route.fetch()).body();
    if (kind === 'finding-file.v1' && seq === 2) body[body.length - 1]! ^= 1;
    await route.fulfill({ body, contentType: 'application/octet-stream' });
  });
  await buyer.openPart(english['copy.all']);
  const { bytes } = await buyer.save('Save everything in one file');
  const entries = readArchive(bytes);
  assert.equal(entries.size, 9);
  assert.match(entries.get('not opened.txt')?.toString() ?? '', /\n\nproof\.txt, 5 bytes\n$/);
  assert.equal(entries.get('files with the answer/PROOF.TXT')?.toString(), 'four');
  await page.getByRole('status').filter({ hasText: 'some files could not be opened' }).waitFor();
  await page.unroute('**/case/sealed/file');
  page.on('request', (request) => {
    if (request.url().endsWith('/case/sealed/file')) cuts += 1;
  });
  await buyer.refuseRequests('**/case/sealed/file', 404, 'case_unknown');
  await page.getByRole('button', { name: 'Save everything in one file' }).click();
  await page.getByRole('status').filter({ hasText: 'Nothing was saved.' }).waitFor();
  assert.equal(cuts, 1);
});

if (isLongRun)
  test('without a script the answer alone is printed too, and the page says what it cannot do', async (_buyer, t) => {
    const buyer = await createBuyer(t, { javaScriptEnabled: false });
    const { page } = buyer;
    await buyer.visit('/case');
    await page.fill('#words', words);
    await page.click('#send');
    await buyer.openPart(english['copy.all']);
    await page.getByText(english['copy.plain']).waitFor();
    await page.getByText(english['copy.plain.answer']).waitFor();
    await page.emulateMedia({ media: 'print' });
    for (const hidden of ['h1', '.top', '.told', '.thread', '.way'])
      assert.ok(!(await page.locator(hidden).first().isVisible()), hidden);
    assert.ok(await page.locator('.paper').isVisible());
  });

/** Reads the directory at the end of a ZIP file whose entries are stored as they are (APPNOTE.TXT 4.3.12). */
function readArchive(bytes: Buffer): Map<string, Buffer> {
  const entries = new Map<string, Buffer>();
  for (let at = bytes.indexOf('PK\u0001\u0002'); bytes.readUInt32LE(at) === 0x02014b50; ) {
    const [size, nameLength, extraLength] = [
      bytes.readUInt32LE(at + 24),
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
    ];
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    assert.equal(bytes.readUInt16LE(at + 10), 0, 'not compressed');
    entries.set(name, bytes.subarray(start, start + size));
    at += 46 + nameLength + extraLength + bytes.readUInt16LE(at + 32);
  }
  return entries;
}
