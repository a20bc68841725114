/** The quick way out of a confidential page, in a real browser. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserPage, openBrowserTests } from '../browser.ts';
import { type BrowserBuyer, buyInBrowser, createBrowserBuyer } from '../buyer.ts';

const { browser, test } = await openBrowserTests();

const shop = await shareTestShop();

test('the link and Escape, three times, leave for elsewhere, and the way back does not lead to the form', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page, complaints } = buyer;
  await stubExternalSite(buyer);
  await buyInBrowser(buyer, shop, 'Trace');
  const leave = page.getByRole('link', { name: 'Leave this page' });
  for (const press of [() => leave.click(), () => pressEscapeQuickly(page, 3)]) {
    if (new URL(page.url()).pathname !== '/inquiry') await page.goto(`${shop.origin}/inquiry`);
    await page.locator('#sealing-note [data-when=browser]').waitFor();
    await page.fill('#question', 'something that no one else should read');
    await press();
    await page.waitForURL('https://www.wikipedia.org/');
    await page.goBack();
    assert.notEqual(new URL(page.url()).pathname, '/inquiry');
  }
  assert.deepEqual(complaints, []);
});

test('the screen is cleared at once, before the other page has come', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page } = buyer;
  await stubExternalSite(buyer);
  await page.goto(`${shop.origin}/case`);
  await page.focus('#words');
  await page.locator('#sealing-note [data-when=browser]').waitFor();
  await page.fill('#words', 'some words');
  const left = await page.evaluate(
    `document.querySelector('#leave').click(), document.body.innerHTML + document.title`,
  );
  assert.equal(left, '');
});

test('a browser that lets no page store anything leaves as well', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page } = buyer;
  await stubExternalSite(buyer);
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('blocked', 'SecurityError');
    };
    Object.defineProperty(globalThis, 'sessionStorage', { get: refuse });
  });
  await page.goto(`${shop.origin}/contact`);
  await page.focus('#message');
  await page.locator('#sealing-note [data-when=browser]').waitFor();
  await page.getByRole('link', { name: 'Leave this page' }).click();
  await page.waitForURL('https://www.wikipedia.org/');
});

test('two presses of Escape, or three with another key between, stay on the page', async (t) => {
  const { page } = await createBrowserBuyer(t, browser);
  await page.goto(`${shop.origin}/payment-cancelled`);
  for (const key of ['Escape', 'Escape', 'a', 'Escape', 'Escape']) await page.keyboard.press(key);
  assert.equal(await page.locator('h1').innerText(), 'Payment cancelled');
});

test('on a phone the way out stays on the screen, however far one scrolls', async (t) => {
  const page = await openBrowserPage(t, browser, 390);
  for (const path of ['/', '/privacy', '/safety', '/docs', '/contact', '/no-such-page']) {
    await page.goto(shop.origin + path);
    await page.evaluate('scrollTo({ top: document.body.scrollHeight, behavior: "instant" })');
    const box = await page.getByRole('link', { name: 'Leave this page' }).boundingBox();
    assert.ok(box && box.y >= 0 && box.y < 60 && box.height >= 44, `${path}: ${JSON.stringify(box)}`);
  }
});

test('the home page clears the screen too, and says before what Back will show', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page, complaints } = buyer;
  await stubExternalSite(buyer);
  await page.goto(`${shop.origin}/safety`);
  await page.goto(shop.origin, { waitUntil: 'load' });
  await page.getByText('How leaving works').click();
  await page.getByText('Back button then shows the page you were on before this one').waitFor();
  const left = await page.evaluate(
    `document.querySelector('#leave').click(), document.body.innerHTML + document.title`,
  );
  assert.equal(left, '');
  await page.waitForURL('https://www.wikipedia.org/');
  await page.goBack();
  assert.equal(page.url(), `${shop.origin}/safety`);
  assert.deepEqual(complaints, []);
});

test('without a script the way out is a link, and no keys are promised', async (t) => {
  const page = await openBrowserPage(t, browser, 1280, { javaScriptEnabled: false });
  await page.route('https://www.wikipedia.org/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Elsewhere</title>' }),
  );
  await page.goto(shop.origin);
  assert.equal(await page.locator('span.keys').isVisible(), false);
  await page.getByRole('link', { name: 'Leave this page' }).click();
  await page.waitForURL('https://www.wikipedia.org/');
});

/** Presses the key repeatedly within two seconds, even if each press is processed slowly. */
async function pressEscapeQuickly(page: Page, presses: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const types = Array.from({ length: presses }, () => ['keyDown', 'keyUp'] as const).flat();
  // The page may be closed before the last key is released.
  await Promise.allSettled(
    types.map((type) =>
      session.send('Input.dispatchKeyEvent', {
        type,
        key: 'Escape',
        code: 'Escape',
        windowsVirtualKeyCode: 27,
      }),
    ),
  );
}

/** Replaces the external site, because no test may use the Internet. */
async function stubExternalSite({ page }: BrowserBuyer): Promise<void> {
  await page.route('https://www.wikipedia.org/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Elsewhere</title>' }),
  );
}
