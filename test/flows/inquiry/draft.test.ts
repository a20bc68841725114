/** A draft is stored on request only, sealed, and only until the form is sent, left or a day old. */
import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { DAY_MS } from '#platform/durations.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { waitUntil } from '#test/patience.ts';
import { startTestShop } from '#test/test-shop.ts';
import { BrowserBuyer, canaryInquiry, openBuyerTests } from '../buyer.ts';
import { launchBrowserWithProfile } from '../find-browser.ts';

const shop = await startTestShop({ after });
const { test } = await openBuyerTests(shop);

const STORED = `sessionStorage.getItem('draft')`;

/** Fills the form and waits until the tab holds all of it. */
async function storeDraft(buyer: BrowserBuyer): Promise<string> {
  const { page } = buyer;
  const words = await buyer.confirmWords();
  await buyer.fillForm();
  assert.equal(await page.evaluate('sessionStorage.length'), 0, 'nothing is kept unless asked for');
  // The explanation beside the box is not part of its name.
  await page.getByLabel('Keep what I type if this page reloads', { exact: true }).check();
  await waitForDraft(page);
  return words;
}

async function waitForDraft(page: Page): Promise<void> {
  await waitUntil('a draft is kept', async () => (await page.evaluate(STORED)) !== null);
}

/** Measures the length, because the content of the draft is sealed. */
async function measureDraft(page: Page): Promise<number> {
  return (await page.evaluate<string>(STORED)).length;
}

async function waitUntilForgotten(): Promise<void> {
  const halves = shop.store.records.selectFrom('draft_keys').select('form_tag');
  await waitUntil('the half of the service is forgotten', async () => (await halves.execute()).length === 0);
}

test('a draft brings back text and words after a reload, and is gone once it is sent', async (buyer) => {
  const { page, complaints } = buyer;
  await buyer.openPaidForm('Trace');
  const words = await storeDraft(buyer);
  const before = await measureDraft(page);
  await page.fill('#background', 'A canary wrote more.');
  await waitUntil('the new text is kept', async () => (await measureDraft(page)) !== before);
  await page.route('**/inquiry/draft', (route) => route.abort('connectionreset'));
  await page.reload();
  await page.getByText('We brought back what you typed.').waitFor();
  await page.fill('#background', 'A canary wrote even more.');
  await page.fill('#background', 'A canary wrote more.');
  await page.reload();
  await page.getByText('We brought back what you typed.').waitFor();
  assert.equal(await buyer.readWords(), words);
  assert.equal(await page.inputValue('#question'), canaryInquiry.question);
  assert.equal(await page.inputValue('#background'), 'A canary wrote more.');
  assert.ok(await page.isChecked('#lawful_purpose'));
  assert.ok(!(await page.getByText('These are new words.').isVisible()));
  await buyer.sendUntilOpen();
  assert.equal(await page.evaluate('sessionStorage.length'), 0);
  await waitUntilForgotten();
  assert.deepEqual(complaints, []);
});

test('the quick way out forgets both halves, and so does taking the tick away', async (buyer) => {
  const { page } = buyer;
  await page.route('https://www.wikipedia.org/**', (route) => route.fulfill({ body: 'Elsewhere' }));
  await buyer.openPaidForm('Trace');
  await storeDraft(buyer);
  const box = page.getByLabel('Keep what I type if this page reloads');
  await box.uncheck();
  assert.equal(await page.evaluate('sessionStorage.length'), 0);
  await waitUntilForgotten();
  await box.check();
  await waitForDraft(page);
  await page.getByText('Does someone else use this device?').click();
  await page.getByLabel('also close this form').check();
  await page.locator('#leave').first().click();
  await page.waitForURL('https://www.wikipedia.org/');
  await waitUntilForgotten();
  await waitUntil(
    'the cookie of the form is gone',
    async () => (await page.context().cookies()).length === 0,
  );
  await page.goto(`${shop.origin}/inquiry`);
  assert.equal(await page.evaluate('sessionStorage.length'), 0);
});

test('a draft that is a day old cannot be opened any more, and the page says so', async (buyer) => {
  const { page } = buyer;
  await buyer.openPaidForm('Trace');
  const words = await storeDraft(buyer);
  await shop.store.records
    .updateTable('draft_keys')
    .set({ created_at: Date.now() - DAY_MS })
    .execute();
  await page.reload();
  await page.getByText('What you typed before could not be brought back.').waitFor();
  assert.notEqual(await buyer.readWords(), words);
  assert.equal(await page.inputValue('#question'), '');
  assert.ok(await page.getByText('These are new words.').isVisible());
  await waitUntilForgotten();
});

test('the profile of the browser holds a draft, but nothing of what was typed and none of the words', async (_buyer, t) => {
  const profile = await createTemporaryFolder(t);
  const context = await launchBrowserWithProfile(profile);
  t.after(() => context.close());
  const buyer = new BrowserBuyer(await context.newPage(), shop);
  await buyer.openPaidForm('Trace');
  const words = await storeDraft(buyer);
  const { half } = JSON.parse(await buyer.page.evaluate<string>(STORED)) as { half: string };
  await context.close();
  const spellings = [canaryInquiry.question, 'canary', words, words.split(' ').slice(0, 3).join(' ')];
  let holdsHalf = false;
  for await (const path of glob('**/*', { cwd: profile })) {
    const bytes = await readFile(join(profile, path)).catch(() => Buffer.alloc(0));
    holdsHalf ||= hasText(bytes, half);
    for (const text of spellings) assert.ok(!hasText(bytes, text), `${text} in ${path}`);
  }
  assert.ok(holdsHalf, 'the tab’s half reached the disk, so a draft in clear would have been found');
});

/** Searches for UTF-8 and UTF-16, the encodings in which browsers write. */
function hasText(bytes: Buffer, text: string): boolean {
  return bytes.includes(text) || bytes.includes(Buffer.from(text, 'utf16le'));
}
