/** A day at the desk: an investigator at a keyboard and a buyer in another browser, from the inquiry to the finding. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { countByWeek } from '#cases/desk/week-counts.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { createCallTimes } from '#test/cases/call-times.ts';
import { findCaseByWords } from '#test/cases/stored-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { startOffice, waitForProgramOutput } from '#test/service-process.ts';
import { startTestShop } from '#test/test-shop.ts';
import { nameCase } from '#wire/case-name.ts';
import { openBrowserPage } from '../browser.ts';
import { type BrowserBuyer, canaryInquiry, openBuyerTests } from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
const shop = await startTestShop({ after }, { clock, env: { DELIVERY_UNDO_MINUTES: '10' } });
const { browser, createBuyer, plainTest: test, prepare } = await openBuyerTests(shop);
const scope = withReverseCleanup({ after });
const { fields: times } = createCallTimes();
let buyer: BrowserBuyer;
let words: string;
let page: Page;
let name: string;
const complaints: string[] = [];

prepare(async () => {
  buyer = await createBuyer(scope);
  const settings = { PORT: String(shop.port), DATA_DIR: shop.dataDir };
  const program = startOffice(scope, ['desk', ...(process.getuid?.() === 0 ? ['--as-root'] : [])], settings);
  await waitForProgramOutput(program, 'Press Enter for a new address');
  page = await openBrowserPage(scope, browser, 1366);
  page.context().on('weberror', (error) => complaints.push(String(error.error())));
  // The printed address is valid once.
  await page.goto(/^ *or +(http:\S+)$/m.exec(program.readOutput())?.[1] ?? '');
  await page.waitForURL('**/queue');
});

/** Waits for the whole page before pressing, as a person would: keys work only after the script has run. */
async function pressDeskKey(key: string): Promise<void> {
  await page.waitForLoadState();
  await page.keyboard.press(key);
}

/** Presses a key, and waits until the page shows the element. */
async function pressUntil(key: string, selector: string): Promise<void> {
  await pressDeskKey(key);
  await page.locator(selector).first().waitFor();
}

test('an empty queue says so, and a case that comes in is there', async () => {
  await page.getByText('Nothing is open').waitFor();
  words = await buyer.sendPaidForm('Dossier');
  const record = await findCaseByWords(shop, words);
  assert.ok(record);
  name = nameCase(record.id);
  await pressDeskKey('.');
  await page.locator('.row').waitFor();
  assert.match(
    await page.locator('.row').innerText(),
    new RegExp(`${name}.*Dossier.*Unassigned.*New case`, 's'),
  );
  assert.doesNotMatch(await page.content(), new RegExp(canaryInquiry.question.slice(0, 20)));
  await assertPageSoundEverywhere(page, 'the queue');
});

test('the case is opened and asked about by keyboard', async () => {
  await pressDeskKey('j');
  await pressUntil('Enter', '.case h1');
  assert.equal(await page.locator('.case h1').innerText(), name);
  assert.equal(await page.locator('.inquiry .ask').innerText(), canaryInquiry.question);
  assert.doesNotMatch(await page.title(), new RegExp(name));
  await assertPageSoundEverywhere(page, 'a case at its first opening');
  await pressDeskKey('r');
  await page.keyboard.type('Which name did she use?');
  await pressDeskKey('Control+Enter');
  await page.getByText('Asked.').waitFor();
  await buyer.openCase(words);
  await buyer.page.locator('.entry.desk').getByText('Which name did she use?').waitFor();
});

test('the answer is marked new, in the queue and in the case, until it is answered', async () => {
  await buyer.write('She wrote as Ann.');
  await buyer.openPart('Your call');
  for (const [field, value] of Object.entries(times)) await buyer.page.fill(`#${field}`, value);
  await buyer.page.locator('#call button').click();
  await buyer.page.getByText('Your times were sent').waitFor();
  await pressUntil('.', '.row .tag');
  assert.equal(await page.locator('.row .tag').innerText(), 'New answer');
  await pressUntil('n', '.since');
  assert.equal(new URL(page.url()).hash, '#new');
  assert.match(await page.locator('.entry.buyer').first().innerText(), /New[\s\S]*She wrote as Ann\./);
});

test('a note is for the desk alone', async () => {
  await pressDeskKey('m');
  await page.keyboard.type('notecanary: prepaid number');
  await pressUntil('Control+Enter', '.memo');
  assert.match(await page.locator('.memo').innerText(), /You[\s\S]*notecanary: prepaid number/);
  await buyer.openCase(words);
  await buyer.page.locator('.entry.buyer').first().waitFor();
  assert.doesNotMatch(await buyer.page.content(), /notecanary/);
});

test('a call is booked at one of the buyer’s times', async () => {
  await pressDeskKey('c');
  await pressDeskKey('Tab');
  await pressDeskKey('Enter');
  await page.getByText('Booked.').waitFor();
  assert.match(await page.locator('#call').innerText(), /10:00 Europe\/Paris/);
  await assertPageSoundEverywhere(page, 'a case with answer, note and call');
  await buyer.openCase(words);
  await buyer.page.locator('[data-part=call] time').waitFor();
});

test('a finding with a file is written, delivered, taken back and delivered again', async () => {
  await pressUntil('d', '#markdown');
  await page.fill('#markdown', '# She is *Ann*\n\nWe are fairly sure.');
  await page.setInputFiles('#file', {
    name: 'sources.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('findingcanary'),
  });
  await pressUntil('Control+Enter', '.paper h3');
  assert.equal(await page.locator('.paper h3').innerText(), 'She is Ann');
  assert.match(await page.locator('.attached').innerText(), /sources\.txt/);
  await assertPageSoundEverywhere(page, 'the finding while it is written');
  const deliver = page.getByRole('button', { name: `Deliver ${name} to ${canaryInquiry.alias}` });
  await deliver.press('Enter');
  await page.getByText(`${name} is delivered.`).first().waitFor();
  await buyer.openCase(words);
  await buyer.page.locator('[data-slot=thread] .entry').first().waitFor();
  assert.ok(await buyer.page.locator('[data-part=finding]').isHidden(), 'it is held');
  await pressUntil('u', '#markdown');
  await page.getByText('Taken back.').waitFor();
  assert.match(await page.inputValue('#markdown'), /^# She is \*Ann\*/);
  assert.match(await page.locator('.attached').innerText(), /sources\.txt/);
  await page.fill('#markdown', '# She is *Ann*\n\nWe are quite sure.');
});

test('what the buyer wrote meanwhile is read before the finding goes', async () => {
  await buyer.write('One more thing: she moved.');
  await page.getByRole('button', { name: `Deliver ${name}` }).press('Enter');
  await page.locator('.changed', { hasText: 'One more thing: she moved.' }).waitFor();
  assert.match(await page.inputValue('#markdown'), /We are quite sure/);
  await assertPageSoundEverywhere(page, 'a finding that was not delivered');
  await page.getByRole('button', { name: 'I have read it: deliver' }).press('Enter');
  await page.getByText(`${name} is delivered.`).first().waitFor();
});

test('when the time to take it back is over, the buyer opens the second one', async () => {
  clock.ahead = 11 * MINUTE_MS;
  const countOpened = async () =>
    (await countByWeek(shop.store.records, clock.now())).filter(({ what }) => what === 'opened').length;
  assert.equal(await countOpened(), 0);
  await buyer.openCase(words);
  await buyer.page.locator('.paper').waitFor();
  assert.match(await buyer.page.locator('.paper').innerText(), /She is Ann\s+We are quite sure\./);
  assert.equal(await countOpened(), 1);
  assert.equal((await buyer.save('Save sources.txt')).name, 'sources.txt');
  assert.deepEqual(complaints, []);
});
