/** The pages in a real browser: how they look to readers of every kind, and buying without a script. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { listPageVisits } from '#test/site/every-page.ts';
import { startTestShop } from '#test/test-shop.ts';
import { colorSchemes, createBrowserContext, findBrowser, viewportWidths } from './browser.ts';
import { assertPageSound } from './page-checks.ts';
import { visitInBrowser } from './page-visit.ts';

const browser = await findBrowser({ after });

if (browser === null)
  console.log('No browser was found: set CHROME_PATH to a Chromium to run the tests of test/flows.');
else {
  const shop = await startTestShop({ after });
  const visits = await listPageVisits(shop);

  for (const width of viewportWidths)
    for (const colorScheme of colorSchemes)
      test(`every page is sound at ${width} pixels, ${colorScheme}`, async (t) => {
        const context = await createBrowserContext(browser, width, { colorScheme });
        t.after(() => context.close());
        const page = await context.newPage();
        const complaints: string[] = [];
        page.on('console', (message) => complaints.push(message.text()));
        for (const visit of visits) {
          await visitInBrowser(page, shop.origin, visit);
          await assertPageSound(page, visit.name);
        }
        // A refused page is reported as a failed load, which is what it is.
        const refusals = /the server responded with a status of (404|422)/;
        assert.deepEqual(
          complaints.filter((text) => !refusals.test(text)),
          [],
        );
      });

  test('a buyer without JavaScript goes from the button to the provider and back to the form', async (t) => {
    const context = await createBrowserContext(browser, 390, { javaScriptEnabled: false });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(shop.origin);
    await page.getByRole('button', { name: 'Buy Deep Sweep' }).click();
    await page.waitForURL(`${shop.sandbox.env['STRIPE_API_URL']}/c/pay/**`);
    await page.getByRole('button', { name: /^Pay/ }).first().click();
    await page.waitForURL(`${shop.origin}/inquiry`);
    assert.match((await page.textContent('main')) ?? '', /Payment received[\s\S]*Deep Sweep/);
  });

  test('the keyboard reaches the content first, and then everything else', async (t) => {
    const context = await createBrowserContext(browser, 1280);
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(shop.origin);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to main content');
    assert.ok(await page.evaluate('document.activeElement.getBoundingClientRect().left >= 0'));
    await page.keyboard.press('Enter');
    assert.match(page.url(), /#main$/);
  });
}
