/** Requesting notices about news in a real browser: by e-mail, and without leaving an address. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { openPlainCase } from '#test/cases/plain-form.ts';
import { findCaseByWords } from '#test/cases/stored-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserTests, readDownload } from '../browser.ts';
import { type BrowserBuyer, createBrowserBuyer, openCaseInBrowser, openPart } from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const { browser, prepare, test } = await openBrowserTests();
const shop = await shareTestShop();
const scope = withReverseCleanup({ after });
let buyer: BrowserBuyer;
let page: Page;
let news: Locator;
let words: string;

prepare(async () => {
  buyer = await createBrowserBuyer(scope, browser);
  page = buyer.page;
  news = page.locator('[data-slot=news]');
  words = await openPlainCase(shop, 'Trace');
  await openCaseInBrowser(buyer, shop, words);
});

test('an address is asked for behind its price, checked, taken and removed without leaving the page', async () => {
  assert.ok(await page.locator('#notice_address').isHidden());
  await openPart(page, 'When there’s something new');
  await openPart(page, 'Tell me by email');
  await page.fill('#notice_address', 'no-address');
  await page.locator('#notify button').click();
  await page.locator('#notice_address-error').waitFor();
  assert.match(await page.locator('#problems').innerText(), /Enter one email address/);
  await assertPageSoundEverywhere(page, 'the case with a wrong address');
  await page.fill('#notice_address', 'someone@example.org');
  await page.locator('#notify button').click();
  await news.waitFor();
  assert.equal(await news.innerText(), 'We’ll email you when there’s something new.');
  assert.equal(await page.inputValue('#notice_address'), '');
  assert.notEqual((await findCaseByWords(shop, words))?.notice_id, null);
  await page.locator('#silence button').click();
  await page.getByText('We have deleted your address').waitFor();
  assert.ok(await page.locator('#silence').isHidden());
  assert.equal((await findCaseByWords(shop, words))?.notice_id, null);
  assert.deepEqual(buyer.complaints, []);
});

test('the calendar file is made without the service, and names nothing', async () => {
  await openPart(page, 'Put a reminder in my calendar');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the calendar file' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'reminder.ics');
  const file = (await readDownload(download)).toString('utf8');
  assert.match(file, /SUMMARY:Look again\r\n/);
  assert.doesNotMatch(file, /Inquiry|Office|localhost|Trace/i);
  const due = (await findCaseByWords(shop, words))?.due_at ?? 0;
  assert.ok(file.includes(`DTSTART:${new Date(due).toISOString().replace(/[-:]|\.\d{3}/g, '')}`));
  await assertPageSoundEverywhere(page, 'the case with all ways to hear of news');
  assert.deepEqual(buyer.complaints, []);
});
