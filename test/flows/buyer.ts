/** A buyer in a real browser: pays, fills in the form, and reads what the pages say. */
import assert from 'node:assert/strict';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { pickAskedWords } from '#seal/form/asked-words.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { waitUntil } from '#test/patience.ts';
import type { TestShop } from '#test/test-shop.ts';
import { openAddress, openBrowserPage, type TestBrowser } from './browser.ts';

/** Ample for a worker that starts, unless the machine is so busy that the page gives it up. */
const WORKER_START_MS = 40_000;

export interface BrowserBuyer {
  readonly page: Page;
  /** Errors that the browser reported, including policy violations. */
  readonly complaints: readonly string[];
}

export async function createBrowserBuyer(
  t: CleanupScope,
  browser: TestBrowser,
  options: BrowserContextOptions = {},
): Promise<BrowserBuyer> {
  const page = await openBrowserPage(t, browser, 390, options);
  const complaints: string[] = [];
  page.context().on('console', (message) => complaints.push(message.text()));
  page.context().on('weberror', (error) => complaints.push(String(error.error())));
  return { page, complaints };
}

/** Buys from the button on the home page through the provider's page to the form. */
export async function buyInBrowser(
  { page }: BrowserBuyer,
  shop: Pick<TestShop, 'origin' | 'sandbox'>,
  tier: string,
): Promise<void> {
  await page.goto(shop.origin);
  await page.getByRole('button', { name: `Buy ${tier}` }).click();
  await page.waitForURL(`${shop.sandbox.env['STRIPE_API_URL']}/c/pay/**`);
  await page.getByRole('button', { name: /^Pay/ }).first().click();
  await page.waitForURL(`${shop.origin}/inquiry`, { waitUntil: 'commit' });
}

/** Opens a form that was paid for without the pages, for tests of the later steps. */
export async function openPaidInquiry(
  { page }: BrowserBuyer,
  { origin, createSession, sandbox }: Pick<TestShop, 'origin' | 'createSession' | 'sandbox'>,
  tier: string,
): Promise<void> {
  const session = await createSession(tier);
  await sandbox.pay(session);
  await page.goto(`${origin}/inquiry?session_id=${session}`);
  // This question is for a browser in which the payment was not started.
  await page.getByRole('button', { name: 'Yes, I paid' }).click();
  await page.waitForURL(`${origin}/inquiry`, { waitUntil: 'commit' });
}

/** Texts that occur nowhere else, so that tests can search for them. */
export const canaryInquiry = {
  question: 'Is quillfeather-canary who she says she is?',
  subject: 'Ondine Marrowcanary',
  identifiers: 'marrowcanary@example.org\n+33 1 99 00 canary',
  background: 'We met at the canaryfair in spring.',
  alias: 'Heroncanary',
  contact_value: 'canary pigeon 7',
  contact_safe_times: 'canary mornings',
} as const;

export async function fillInquiryForm({ page }: BrowserBuyer): Promise<void> {
  await page.check('[name=contact_mode][value=other]');
  for (const [name, value] of Object.entries(canaryInquiry)) await page.fill(`#${name}`, value);
  await page.selectOption('#jurisdiction', 'FR');
  await page.check('[name=safety_risk][value=possible]');
  await page.check('[name=subject_is_protected][value=no]');
  await page.check('#lawful_purpose');
}

/** Waits until the browser has generated its own words. */
export async function confirmShownWords({ page }: BrowserBuyer): Promise<string> {
  await page.locator('#sealing-note [data-when=browser]').waitFor();
  const words = await readShownWords(page);
  await fillAskedWords(page, words);
  return words;
}

/** Does everything except sending. Returns the words. */
export async function fillPaidInquiry(
  buyer: BrowserBuyer,
  shop: Pick<TestShop, 'origin' | 'createSession' | 'sandbox'>,
  tier: string,
): Promise<string> {
  await openPaidInquiry(buyer, shop, tier);
  const words = await confirmShownWords(buyer);
  await fillInquiryForm(buyer);
  return words;
}

/** Fills and sends the form and waits until the case is open. Returns the words. */
export async function sendPaidInquiry(
  buyer: BrowserBuyer,
  shop: Pick<TestShop, 'origin' | 'createSession' | 'sandbox'>,
  tier: string,
): Promise<string> {
  const words = await fillPaidInquiry(buyer, shop, tier);
  await clickSend(buyer);
  await waitForOpenCase(buyer);
  return words;
}

/** Fills in the requested words from the buyer's own copy. */
export async function fillAskedWords(page: Page, words: string): Promise<void> {
  for (const { control, position, word } of pickAskedWords(words)) {
    assert.equal(await page.locator(`label[for=${control}]`).innerText(), `Word ${position}`);
    await page.fill(`#${control}`, word);
  }
}

export async function readShownWords(page: Page): Promise<string> {
  const words = await page.locator('.words li').allTextContents();
  assert.equal(words.length, 12);
  return words.join(' ');
}

/** With a script, the form first shows valid answers again for checking. */
export async function clickSend({ page }: BrowserBuyer): Promise<void> {
  const check = page.getByRole('button', { name: 'Check my answers' });
  if (await check.isVisible()) {
    await check.click();
    await page.locator('#answers:not([hidden]), #problems li').first().waitFor();
    if (await page.locator('#answers').isHidden()) return;
  }
  await page.click('#send');
}

export async function waitForOpenCase({ page }: BrowserBuyer): Promise<void> {
  await page.getByRole('heading', { name: 'Your case is open' }).waitFor();
}

/** Unfolds a part of the page by the text of its summary. */
export async function openPart(page: Page, name: string): Promise<void> {
  await page.locator('summary', { hasText: name }).click();
}

/** Opens the page again if its worker started later than the page waits for it, because the machine is busy. */
export async function openCaseInBrowser(
  { page }: Pick<BrowserBuyer, 'page'>,
  shop: Pick<TestShop, 'origin'>,
  words: string,
): Promise<void> {
  const note = page.locator('#sealing-note [data-when=browser]');
  await waitUntil('the page opens cases in the browser', async () => {
    await openAddress(page, `${shop.origin}/case`);
    await page.focus('#words');
    return await note.waitFor({ timeout: WORKER_START_MS }).then(
      () => true,
      () => false,
    );
  });
  await page.fill('#words', words);
  await page.click('#send');
}
