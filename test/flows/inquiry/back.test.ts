/** Back and Forward in a browser that remembers left pages: private content has been removed from them. */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openPlainCase } from '#test/cases/plain-form.ts';
import { waitUntil } from '#test/patience.ts';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserTests } from '../browser.ts';
import {
  type BrowserBuyer,
  canaryInquiry,
  clickSend,
  confirmShownWords,
  createBrowserBuyer,
  fillInquiryForm,
  openCaseInBrowser,
  openPaidInquiry,
  readShownWords,
  waitForOpenCase,
} from '../buyer.ts';

const { browser, test } = await openBrowserTests(true);

const shop = await shareTestShop();

const CANARY = /canary/i;

/** Runs in the page: records its content at the moment when the browser restores it from memory. */
const NOTE_RETURN = `addEventListener('pageshow', ({ persisted }) => {
  const values = [...document.querySelectorAll('input, textarea')].map(({ value }) => value);
  if (persisted) localStorage.setItem('returned', document.documentElement.innerHTML + values);
})`;

/** Chromium remembers no page whose script received a private response; other browsers may. */
async function assertEmptiedWhenLeft(page: Page): Promise<void> {
  await page.evaluate(`dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))`);
  assert.equal(await page.evaluate('document.body.innerHTML + document.title'), '');
}

/** Leaves without the page's own links, and returns. */
async function leaveAndReturn({ page }: BrowserBuyer): Promise<void> {
  await page.goto(`${shop.origin}/safety`);
  await page.evaluate('setTimeout(() => history.back())');
}

/** Returns the content of the restored page; throws if it was not restored, because the test would prove nothing. */
async function returnFromMemory(buyer: BrowserBuyer): Promise<string> {
  const { page } = buyer;
  await leaveAndReturn(buyer);
  // While the page is being loaded, it cannot be queried.
  const readNote = async () =>
    await page.evaluate<string>(`localStorage.getItem('returned')`).catch(() => null);
  return await waitUntil('the page comes out of memory', readNote);
}

async function createReturningBuyer(t: Parameters<typeof createBrowserBuyer>[0]): Promise<BrowserBuyer> {
  const buyer = await createBrowserBuyer(t, browser);
  buyer.page.on('dialog', (dialog) => void dialog.accept());
  await buyer.page.addInitScript(NOTE_RETURN);
  return buyer;
}

async function waitForNewForm(page: Page): Promise<void> {
  await page.getByText('These are new words.').waitFor();
  assert.equal(await page.inputValue('#question'), '');
}

const steps: [name: string, prepare: (buyer: BrowserBuyer) => Promise<void>][] = [
  ['the form', async () => {}],
  [
    'the answers that are shown once more',
    async ({ page }) => {
      const file = { name: 'canary.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear you') };
      await page.setInputFiles('#files', file);
      await page.getByRole('button', { name: 'Check my answers' }).click();
      await page.getByRole('heading', { name: 'Check your answers' }).waitFor();
    },
  ],
];
for (const [name, prepare] of steps)
  test(`Back to ${name} shows an empty form with new words`, async (t) => {
    const buyer = await createReturningBuyer(t);
    const { page } = buyer;
    await openPaidInquiry(buyer, shop, 'Trace');
    const words = await confirmShownWords(buyer);
    await fillInquiryForm(buyer);
    await prepare(buyer);
    const returned = await returnFromMemory(buyer);
    assert.doesNotMatch(returned, CANARY);
    for (const word of words.split(' ')) assert.ok(!returned.includes(`>${word}<`), word);
    await waitForNewForm(page);
    assert.notEqual(await readShownWords(page), words);
    assert.doesNotMatch(await page.content(), CANARY);
  });

test('Back brings text and words to who asked for a draft', async (t) => {
  const buyer = await createReturningBuyer(t);
  const { page } = buyer;
  await openPaidInquiry(buyer, shop, 'Trace');
  const words = await confirmShownWords(buyer);
  await page.getByLabel('Keep what I type if this page reloads').check();
  const measureDraft = async () =>
    await page.evaluate<number>(`sessionStorage.getItem('draft')?.length ?? 0`);
  const empty = await waitUntil('a draft is kept', measureDraft);
  await fillInquiryForm(buyer);
  await waitUntil('what was typed is kept', async () => (await measureDraft()) > empty);
  await leaveAndReturn(buyer);
  await page.getByText('We brought back what you typed.').waitFor();
  assert.equal(await page.inputValue('#question'), canaryInquiry.question);
  assert.equal(await readShownWords(page), words);
});

if (isLongRun)
  test('Back to the page after sending shows no words', async (t) => {
    const buyer = await createReturningBuyer(t);
    const { page } = buyer;
    await openPaidInquiry(buyer, shop, 'Trace');
    await confirmShownWords(buyer);
    await fillInquiryForm(buyer);
    await clickSend(buyer);
    await waitForOpenCase(buyer);
    await assertEmptiedWhenLeft(page);
    await leaveAndReturn(buyer);
    await page.getByRole('heading', { name: 'Your question has been sent' }).waitFor();
  });

test('Back to an open case asks for its words', async (t) => {
  const words = await openPlainCase(shop);
  const buyer = await createReturningBuyer(t);
  const { page } = buyer;
  await openCaseInBrowser(buyer, shop, words);
  await page.getByRole('heading', { name: 'We have your question' }).waitFor();
  await page.fill('#message', 'An unsent canary.');
  await assertEmptiedWhenLeft(page);
  await leaveAndReturn(buyer);
  await page.getByRole('heading', { name: 'Return to your case' }).waitFor();
  assert.equal(await page.inputValue('#words'), '');
  assert.doesNotMatch(await page.content(), CANARY);
});

const places = [
  ['/case', '#words'],
  ['/contact', '#message'],
  ['/permissions', '#address'],
] as const;
test('Back to a page with a form shows nothing of what was typed there', async (t) => {
  const buyer = await createReturningBuyer(t);
  const { page } = buyer;
  for (const [path, field] of places) {
    await page.goto(shop.origin + path);
    await page.evaluate('localStorage.clear()');
    await page.locator('.scripted').waitFor();
    await page.fill(field, 'canary@example.org');
    assert.doesNotMatch(await returnFromMemory(buyer), CANARY, path);
    await page.locator('.scripted').waitFor();
    assert.equal(await page.inputValue(field), '', path);
  }
});

if (isLongRun)
  test('Back to a public page shows it as it was left', async (t) => {
    const buyer = await createReturningBuyer(t);
    const { page } = buyer;
    await page.goto(`${shop.origin}/privacy`);
    await page.evaluate(`document.querySelector('h1').textContent = 'As it was left'`);
    await returnFromMemory(buyer);
    assert.equal(await page.locator('h1').innerText(), 'As it was left');
  });
