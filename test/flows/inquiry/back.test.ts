/** Back and Forward in a browser that remembers left pages: private content has been removed from them. */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openPlainCase } from '#test/cases/plain-form.ts';
import { waitUntil } from '#test/patience.ts';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { type BrowserBuyer, openBuyerTests } from '../buyer.ts';

const shop = await shareTestShop();
const { test } = await openBuyerTests(shop, true);

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

async function noteReturns({ page }: BrowserBuyer): Promise<Page> {
  page.on('dialog', (dialog) => void dialog.accept());
  await page.addInitScript(NOTE_RETURN);
  return page;
}

for (const isChecking of [false, true])
  test(`Back to ${isChecking ? 'the answers that are shown once more' : 'the form'} shows an empty form with new words`, async (buyer) => {
    const page = await noteReturns(buyer);
    const words = await buyer.fillPaidForm('Trace');
    if (isChecking) {
      await page.getByRole('button', { name: 'Check my answers' }).click();
      await buyer.waitForTitle('Check your answers');
    }
    const returned = await returnFromMemory(buyer);
    assert.doesNotMatch(returned, CANARY);
    for (const word of words.split(' ')) assert.ok(!returned.includes(`>${word}<`), word);
    await page.getByText('These are new words.').waitFor();
    assert.equal(await page.inputValue('#question'), '');
    assert.notEqual(await buyer.readWords(), words);
    assert.doesNotMatch(await page.content(), CANARY);
  });

if (isLongRun)
  test('Back to the page after sending shows no words', async (buyer) => {
    const page = await noteReturns(buyer);
    await buyer.sendPaidForm('Trace');
    await assertEmptiedWhenLeft(page);
    await leaveAndReturn(buyer);
    await page.getByRole('heading', { name: 'Your question has been sent' }).waitFor();
  });

test('Back to an open case asks for its words', async (buyer) => {
  const page = await noteReturns(buyer);
  await buyer.openCase(await openPlainCase(shop));
  await page.fill('#message', 'An unsent canary.');
  await assertEmptiedWhenLeft(page);
  await leaveAndReturn(buyer);
  await buyer.waitForTitle('Return to your case');
  assert.equal(await page.inputValue('#words'), '');
  assert.doesNotMatch(await page.content(), CANARY);
});

const typedFields = { '/case': '#words', '/contact': '#message', '/permissions': '#address' };
test('Back to a page with a form shows nothing of what was typed there', async (buyer) => {
  const page = await noteReturns(buyer);
  for (const [path, field] of Object.entries(typedFields)) {
    await buyer.visit(path);
    await page.evaluate('localStorage.clear()');
    await page.locator('.scripted').waitFor();
    await page.fill(field, 'canary@example.org');
    assert.doesNotMatch(await returnFromMemory(buyer), CANARY, path);
    await page.locator('.scripted').waitFor();
    assert.equal(await page.inputValue(field), '', path);
  }
});
