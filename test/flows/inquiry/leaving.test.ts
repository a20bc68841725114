/** Leaving a page with typed text: the page asks first, and after a reload says what was lost. */
import assert from 'node:assert/strict';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserTests } from '../browser.ts';
import { buyInBrowser, confirmShownWords, createBrowserBuyer, readShownWords } from '../buyer.ts';

const { browser, test } = await openBrowserTests();

const shop = await shareTestShop();

test('the form asks before it is left, once something is typed, but never on the quick way out', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page } = buyer;
  await page.route('https://www.wikipedia.org/**', (route) => route.fulfill({ body: 'Elsewhere' }));
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await buyInBrowser(buyer, shop, 'Trace');
  const first = await confirmShownWords(buyer);
  assert.ok(!(await page.getByText('These are new words.').isVisible()));
  await page.locator('#question').pressSequentially('Is');
  await page.reload();
  assert.deepEqual(asked, ['beforeunload']);
  await page.locator('#sealing-note [data-when=browser]').waitFor();
  assert.notEqual(await readShownWords(page), first);
  assert.ok(await page.getByText('These are new words.').isVisible());
  await page.locator('#question').pressSequentially('Is');
  await page.locator('#leave').first().click();
  await page.waitForURL('https://www.wikipedia.org/');
  assert.deepEqual(asked, ['beforeunload']);
});
