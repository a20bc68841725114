/** The pages in a real browser: how they look to readers of every kind, and buying without a script. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test, { after } from 'node:test';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { openShop } from '#test/shop.ts';
import { everyPage } from '#test/site/every-page.ts';
import { contextFor, findBrowser, themes, widths } from './browser.ts';
import { openIn } from './visiting.ts';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const browser = await findBrowser({ after });

if (browser === null)
  console.log('No browser was found: set CHROME_PATH to a Chromium to run the tests of test/flows.');
else {
  const shop = await openShop({ after });
  const visits = await everyPage(shop);
  const axe = await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

  for (const width of widths)
    for (const colorScheme of themes)
      test(`every page is sound at ${width} pixels, ${colorScheme}`, async (t) => {
        const context = await contextFor(browser, width, { colorScheme });
        t.after(() => context.close());
        const page = await context.newPage();
        const complaints: string[] = [];
        page.on('console', (message) => complaints.push(message.text()));
        for (const visit of visits) {
          await openIn(page, shop.origin, visit);
          assert.deepEqual(await violations(page, axe), [], visit.name);
          assert.equal(await overflow(page), 0, `${visit.name} is wider than the window`);
          assert.equal(await fontsLoaded(page), true, `${visit.name} lacks its fonts`);
        }
        // A refused page is reported as a failed load, which is what it is.
        const refusals = /the server responded with a status of (404|422)/;
        assert.deepEqual(
          complaints.filter((text) => !refusals.test(text)),
          [],
        );
      });

  test('a buyer without JavaScript goes from the button to the provider and back to the form', async (t) => {
    const context = await contextFor(browser, 390, { javaScriptEnabled: false });
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
    const context = await contextFor(browser, 1280);
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

async function violations(page: Page, axe: string): Promise<string[]> {
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate<AxeResults>(
    `axe.run({ runOnly: { type: 'tag', values: ${JSON.stringify(RULES)} } })`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

async function overflow(page: Page): Promise<number> {
  return await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

async function fontsLoaded(page: Page): Promise<boolean> {
  return await page.evaluate(
    `document.fonts.ready.then(() => [...document.fonts].every(({ status }) => status === 'loaded'))`,
  );
}
