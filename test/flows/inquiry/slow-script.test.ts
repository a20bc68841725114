/** A page whose script loads late or not at all: nothing that the script would have sealed is sent in plain text. */

import assert from 'node:assert/strict';
import type { Route } from 'playwright-core';
import { openPlainCase } from '#test/cases/plain-form.ts';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { type BrowserBuyer, openBuyerTests } from '../buyer.ts';

const shop = await shareTestShop();
const { prepare, test } = await openBuyerTests(shop);

let words = '';
prepare(async () => {
  words = await openPlainCase(shop);
});

/** Sends the words before a script of the page has come, which is then released. */
async function sendWordsEarly({ page }: BrowserBuyer, release: () => void): Promise<void> {
  await page.goto(`${shop.origin}/case`, { waitUntil: 'commit' });
  await page.fill('#words', words);
  await page.locator('#send').click({ noWaitAfter: true });
  assert.ok(await page.locator('#sealing-note').isHidden(), 'the page does not claim that no script runs');
  release();
}

test('words that are sent before the script has come are held back, and then opened in the browser', async (buyer) => {
  const { page, sent } = buyer;
  await sendWordsEarly(buyer, await buyer.holdRequests('**/assets/case-*.js'));
  await page.locator('#write').waitFor();
  // Searches for two words, because one alone may be part of a name or of random data.
  const [one, other] = words.split(' ');
  for (const body of sent) assert.doesNotMatch(body, new RegExp(`${one}\\W+(?:20)?${other}`));
  await page.getByRole('button', { name: 'Close my case' }).click();
  await buyer.waitForTitle('Return to your case');
  assert.equal(await page.inputValue('#words'), '', 'what was typed before the script came stays away');
});

const failures: Readonly<Record<string, (route: Route) => Promise<void>>> = {
  'is refused': (route) => route.fulfill({ status: 503 }),
  'is broken': (route) => route.fulfill({ contentType: 'text/javascript', body: 'throw 1' }),
};

for (const [failure, fail] of Object.entries(failures))
  test(`a form is not sent by itself if its script ${failure}: the page says so, and the person decides`, async (buyer) => {
    const { page, sent } = buyer;
    await page.route('**/assets/case-*.js', fail);
    await sendWordsEarly(buyer, await buyer.holdRequests('**/assets/case-*.js'));
    await page.locator('#sealing-note [data-when=server]').waitFor();
    assert.equal(sent.length, 0, 'nothing is sent');
    await page.locator('#send').click();
    await page.locator('#write').waitFor();
    assert.ok(sent.some((body) => body.includes(words.replaceAll(' ', '+'))));
  });

if (isLongRun)
  test('a worker whose first request is lost is asked for once more', async (buyer) => {
    const { page } = buyer;
    await page.route('**/assets/opener-*.js', (route) => route.abort('connectionreset'), { times: 1 });
    await buyer.visit('/case');
    await page.locator('#words').focus();
    await buyer.waitForSealing();
  });

test('a form is not sent by itself if the worker of its script does not start', async (buyer) => {
  const { page, sent } = buyer;
  await page.route('**/assets/opener-*.js', (route) => route.abort('connectionreset'));
  const release = await buyer.holdRequests('**/assets/opener-*.js');
  await buyer.visit('/case');
  await page.fill('#words', words);
  await page.locator('#send').click({ noWaitAfter: true });
  release();
  await page.locator('#words-error').waitFor();
  assert.match(await page.locator('#words-error').innerText(), /Nothing was sent/);
  assert.ok(await page.locator('#sealing-note [data-when=server]').isVisible());
  assert.equal(sent.length, 0, 'nothing is sent');
  const [answer] = await Promise.all([page.waitForResponse(`${shop.origin}/case`), page.click('#send')]);
  assert.equal(answer.request().method(), 'POST', 'pressed again, it is sent as without a script');
});

test('the words of the server are not shown while it is open whose words will be used, and nothing moves when it is settled', async (buyer) => {
  const { page } = buyer;
  const release = await buyer.holdRequests('**/assets/inquiry-*.js');
  await buyer.openPaidForm('Trace');
  await page.locator('#words-list').waitFor({ state: 'attached' });
  assert.ok(!(await page.locator('#words-list').isVisible()));
  // Relative to the page, because the window may still be scrolling.
  const readPlace = async () =>
    await page.evaluate("document.querySelector('#question').getBoundingClientRect().top + scrollY");
  await page.evaluate('document.fonts.ready');
  const place = await readPlace();
  assert.ok(await page.locator('#keep-draft').isDisabled());
  release();
  const shown = await buyer.confirmWords();
  assert.equal(await readPlace(), place);
  assert.equal(shown.split(' ').length, 12);
});
