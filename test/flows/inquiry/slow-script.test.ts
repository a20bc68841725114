/** A page whose script loads late or not at all: nothing that the script would have sealed is sent in plain text. */

import assert from 'node:assert/strict';
import type { Page, Route } from 'playwright-core';
import { openPlainCase } from '#test/cases/plain-form.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserTests } from '../browser.ts';
import { confirmShownWords, createBrowserBuyer, openPaidInquiry } from '../buyer.ts';

const { browser, prepare, test } = await openBrowserTests();

const shop = await shareTestShop();

let words = '';
prepare(async () => {
  words = await openPlainCase(shop);
});

/** Opens /case without waiting for its script, whose loading `answer` controls. */
async function openCasePageEarly(
  t: CleanupScope,
  answer: (route: Route) => Promise<void>,
): Promise<{ page: Page; sent: string[] }> {
  const { page } = await createBrowserBuyer(t, browser);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postData() ?? ''));
  await page.route('**/assets/case-*.js', answer);
  await page.goto(`${shop.origin}/case`, { waitUntil: 'commit' });
  await page.locator('#send').waitFor();
  return { page, sent };
}

test('words that are sent before the script has come are held back, and then opened in the browser', async (t) => {
  const script = Promise.withResolvers<void>();
  const { page, sent } = await openCasePageEarly(t, async (route) => {
    await script.promise;
    await route.continue();
  });
  await page.fill('#words', words);
  await page.locator('#send').click({ noWaitAfter: true });
  assert.ok(
    !(await page.locator('#sealing-note').isVisible()),
    'the page does not claim that no script runs',
  );
  script.resolve();
  await page.locator('#write').waitFor();
  // Searches for two words, because one alone may be part of a name or of random data.
  const [one, other] = words.split(' ');
  for (const body of sent) assert.doesNotMatch(body, new RegExp(`${one}\\W+(?:20)?${other}`));
  await page.getByRole('button', { name: 'Close my case' }).click();
  await page.getByRole('heading', { level: 1, name: 'Return to your case' }).waitFor();
  assert.equal(
    await page.inputValue('#words'),
    '',
    'what was typed before the script came does not come back',
  );
});

const failures: Readonly<Record<string, (route: Route) => Promise<void>>> = {
  'is refused': (route) => route.fulfill({ status: 503 }),
  'is broken': (route) => route.fulfill({ contentType: 'text/javascript', body: 'throw 1' }),
};

for (const [failure, fail] of Object.entries(failures))
  test(`a form is not sent by itself if its script ${failure}: the page says so, and the person decides`, async (t) => {
    const script = Promise.withResolvers<void>();
    const { page, sent } = await openCasePageEarly(t, async (route) => {
      await script.promise;
      await fail(route);
    });
    await page.fill('#words', words);
    await page.locator('#send').click({ noWaitAfter: true });
    script.resolve();
    await page.locator('#sealing-note [data-when=server]').waitFor();
    assert.deepEqual(sent.filter(Boolean), []);
    await page.locator('#send').click();
    await page.locator('#write').waitFor();
    assert.ok(sent.some((body) => body.includes(words.replaceAll(' ', '+'))));
  });

if (isLongRun)
  test('a worker whose first request is lost is asked for once more', async (t) => {
    const { page } = await createBrowserBuyer(t, browser);
    await page.route('**/assets/opener-*.js', (route) => route.abort('connectionreset'), { times: 1 });
    await page.goto(`${shop.origin}/case`);
    await page.locator('#words').focus();
    await page.locator('#sealing-note [data-when=browser]').waitFor();
  });

test('a form is not sent by itself if the worker of its script does not start', async (t) => {
  const worker = Promise.withResolvers<void>();
  const { page } = await createBrowserBuyer(t, browser);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postData() ?? ''));
  await page.route('**/assets/opener-*.js', async (route) => {
    await worker.promise;
    await route.abort('connectionreset');
  });
  await page.goto(`${shop.origin}/case`);
  await page.fill('#words', words);
  await page.locator('#send').click({ noWaitAfter: true });
  worker.resolve();
  await page.locator('#words-error').waitFor();
  assert.match(await page.locator('#words-error').innerText(), /Nothing was sent/);
  assert.ok(await page.locator('#sealing-note [data-when=server]').isVisible());
  assert.deepEqual(sent.filter(Boolean), []);
  const [answer] = await Promise.all([page.waitForResponse(`${shop.origin}/case`), page.click('#send')]);
  assert.equal(answer.request().method(), 'POST', 'pressed again, it is sent as without a script');
});

test('the words of the server are not shown while it is open whose words will be used, and nothing moves when it is settled', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page } = buyer;
  const script = Promise.withResolvers<void>();
  await page.route('**/assets/inquiry-*.js', async (route) => {
    await script.promise;
    await route.continue();
  });
  await openPaidInquiry(buyer, shop, 'Trace');
  await page.locator('#words-list').waitFor({ state: 'attached' });
  assert.ok(!(await page.locator('#words-list').isVisible()));
  // Relative to the page, because the window may still be scrolling.
  const readPlace = async () =>
    await page.evaluate("document.querySelector('#question').getBoundingClientRect().top + scrollY");
  await page.evaluate('document.fonts.ready');
  const place = await readPlace();
  assert.ok(await page.locator('#keep-draft').isDisabled());
  script.resolve();
  const shown = await confirmShownWords(buyer);
  assert.equal(await readPlace(), place);
  assert.equal(shown.split(' ').length, 12);
});
