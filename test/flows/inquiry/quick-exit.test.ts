/** Leaving a page: the quick way out of it, in a real browser, and the question before typed text is lost. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { shareTestShop } from '#test/test-shop.ts';
import { openBuyerTests } from '../buyer.ts';

const shop = await shareTestShop();
const { createBuyer, test } = await openBuyerTests(shop);

test('the link and Escape, three times, leave for elsewhere, and the way back does not lead to the form', async (buyer) => {
  const { page, complaints } = buyer;
  await stubExternalSite(page);
  await buyer.buy('Trace');
  const leave = page.getByRole('link', { name: 'Leave this page' });
  for (const press of [() => leave.click(), () => pressEscapeQuickly(page, 3)]) {
    if (new URL(page.url()).pathname !== '/inquiry') await buyer.visit('/inquiry');
    await buyer.waitForSealing();
    await page.fill('#question', 'something that no one else should read');
    await press();
    await page.waitForURL('https://www.wikipedia.org/');
    await page.goBack();
    assert.notEqual(new URL(page.url()).pathname, '/inquiry');
  }
  assert.deepEqual(complaints, []);
});

test('the screen is cleared at once, before the other page has come', async (buyer) => {
  const { page } = buyer;
  await stubExternalSite(page);
  await buyer.visit('/case');
  await page.focus('#words');
  await buyer.waitForSealing();
  await page.fill('#words', 'some words');
  const left = await page.evaluate(
    `document.querySelector('#leave').click(), document.body.innerHTML + document.title`,
  );
  assert.equal(left, '');
});

test('a browser that lets no page store anything leaves as well', async (buyer) => {
  const { page } = buyer;
  await stubExternalSite(page);
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('blocked', 'SecurityError');
    };
    Object.defineProperty(globalThis, 'sessionStorage', { get: refuse });
  });
  await buyer.visit('/contact');
  await page.focus('#message');
  await buyer.waitForSealing();
  await page.getByRole('link', { name: 'Leave this page' }).click();
  await page.waitForURL('https://www.wikipedia.org/');
});

test('two presses of Escape, or three with another key between, stay on the page', async (buyer) => {
  const { page } = buyer;
  await buyer.visit('/payment-cancelled');
  for (const key of ['Escape', 'Escape', 'a', 'Escape', 'Escape']) await page.keyboard.press(key);
  assert.equal(await page.locator('h1').innerText(), 'Payment cancelled');
});

test('on a phone the way out stays on the screen, however far one scrolls', async ({ page }) => {
  for (const path of ['/', '/privacy', '/safety', '/docs', '/contact', '/no-such-page']) {
    await page.goto(shop.origin + path);
    await page.evaluate('scrollTo({ top: document.body.scrollHeight, behavior: "instant" })');
    const box = await page.getByRole('link', { name: 'Leave this page' }).boundingBox();
    assert.ok(box && box.y >= 0 && box.y < 60 && box.height >= 44, `${path}: ${JSON.stringify(box)}`);
  }
});

test('the home page clears the screen too, and says before what Back will show', async (buyer) => {
  const { page, complaints } = buyer;
  await stubExternalSite(page);
  await buyer.visit('/safety');
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

test('without a script the way out is a link, and no keys are promised', async (_buyer, t) => {
  const { page } = await createBuyer(t, { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
  await stubExternalSite(page);
  await page.goto(shop.origin);
  assert.equal(await page.locator('span.keys').isVisible(), false);
  await page.getByRole('link', { name: 'Leave this page' }).click();
  await page.waitForURL('https://www.wikipedia.org/');
});

test('the form asks before it is left, once something is typed, but never on the quick way out', async (buyer) => {
  const { page } = buyer;
  await stubExternalSite(page);
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await buyer.buy('Trace');
  const first = await buyer.confirmWords();
  assert.ok(!(await page.getByText('These are new words.').isVisible()));
  await page.locator('#question').pressSequentially('Is');
  await page.reload();
  assert.deepEqual(asked, ['beforeunload']);
  await buyer.waitForSealing();
  assert.notEqual(await buyer.readWords(), first);
  assert.ok(await page.getByText('These are new words.').isVisible());
  await page.locator('#question').pressSequentially('Is');
  await page.locator('#leave').first().click();
  await page.waitForURL('https://www.wikipedia.org/');
  assert.deepEqual(asked, ['beforeunload']);
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
async function stubExternalSite(page: Page): Promise<void> {
  await page.route('https://www.wikipedia.org/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Elsewhere</title>' }),
  );
}
