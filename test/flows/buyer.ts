/** A buyer in a real browser: pays, fills in the form, and reads what the pages say. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { pickAskedWords } from '#seal/form/asked-words.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { waitUntil } from '#test/patience.ts';
import type { TestShop } from '#test/test-shop.ts';
import { openAddress, openBrowserPage, openBrowserTests, readDownload } from './browser.ts';

/** Ample for a worker that starts, unless the machine is so busy that the page gives it up. */
const WORKER_START_MS = 40_000;

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

type BuyerShop = Pick<TestShop, 'origin' | 'createSession' | 'sandbox'>;

/** The tests of a file whose buyers visit this shop; `test` gives each test a buyer of its own. */
export async function openBuyerTests(shop: BuyerShop, remembersPages = false) {
  const { test: plainTest, ...tests } = await openBrowserTests(remembersPages);
  const createBuyer = async (t: CleanupScope, options: BrowserContextOptions = {}) =>
    new BrowserBuyer(await openBrowserPage(t, tests.browser, 390, options), shop);
  const test = (name: string, run: (buyer: BrowserBuyer, t: TestContext) => Promise<void>) =>
    plainTest(name, async (t) => await run(await createBuyer(t), t));
  return { ...tests, createBuyer, plainTest, test };
}

export class BrowserBuyer {
  readonly page: Page;
  /** Errors that the browser reported, including policy violations. */
  readonly complaints: string[] = [];
  /** The bodies of the requests of the page. */
  readonly sent: string[] = [];
  readonly #shop: BuyerShop;

  constructor(page: Page, shop: BuyerShop) {
    this.page = page;
    this.#shop = shop;
    page.context().on('console', (message) => this.complaints.push(message.text()));
    page.context().on('weberror', (error) => this.complaints.push(String(error.error())));
    page.on('request', (request) => this.sent.push(...[request.postData() ?? []].flat()));
  }

  /** Opens one of our pages. */
  async visit(path: string): Promise<void> {
    await this.page.goto(this.#shop.origin + path);
  }

  /** Buys from the button on the home page through the provider's page to the form. */
  async buy(tier: string): Promise<void> {
    await this.visit('/');
    await this.page.locator(`form:has([value="${tier}"]) button`).click();
    await this.page.waitForURL(`${this.#shop.sandbox.env['STRIPE_API_URL']}/c/pay/**`);
    await this.page.getByRole('button', { name: /^Pay/ }).first().click();
    await this.#waitForForm();
  }

  /** Opens a form that was paid for without the pages, for tests of the later steps. */
  async openPaidForm(tier: string): Promise<void> {
    const session = await this.#shop.createSession(tier);
    await this.#shop.sandbox.pay(session);
    await this.visit(`/inquiry?session_id=${session}`);
    // This question is for a browser in which the payment was not started.
    await this.page.getByRole('button', { name: 'Yes, I paid' }).click();
    await this.#waitForForm();
  }

  async #waitForForm(): Promise<void> {
    await this.page.waitForURL(`${this.#shop.origin}/inquiry`, { waitUntil: 'commit' });
  }

  /** Waits until the page seals, or opens, in the browser. */
  async waitForSealing(): Promise<void> {
    await this.page.locator('#sealing-note [data-when=browser]').waitFor();
  }

  async fillForm(): Promise<void> {
    const { page } = this;
    await page.check('[name=contact_mode][value=other]');
    for (const [name, value] of Object.entries(canaryInquiry)) await page.fill(`#${name}`, value);
    await page.selectOption('#jurisdiction', 'FR');
    await page.check('[name=safety_risk][value=possible]');
    await page.check('[name=subject_is_protected][value=no]');
    await page.check('#lawful_purpose');
  }

  /** Waits until the browser has generated its own words, and types those that the form asks for. */
  async confirmWords(): Promise<string> {
    await this.waitForSealing();
    const words = await this.readWords();
    await this.fillAskedWords(words);
    return words;
  }

  /** Fills in the requested words from the buyer's own copy. */
  async fillAskedWords(words: string): Promise<void> {
    for (const { control, position, word } of pickAskedWords(words)) {
      assert.equal(await this.page.locator(`label[for=${control}]`).innerText(), `Word ${position}`);
      await this.page.fill(`#${control}`, word);
    }
  }

  async readWords(): Promise<string> {
    const words = await this.page.locator('.words li').allTextContents();
    assert.equal(words.length, 12);
    return words.join(' ');
  }

  /** Does everything except sending. Returns the words. */
  async fillPaidForm(tier: string): Promise<string> {
    await this.openPaidForm(tier);
    const words = await this.confirmWords();
    await this.fillForm();
    return words;
  }

  /** Fills and sends the form and waits until the case is open. Returns the words. */
  async sendPaidForm(tier: string): Promise<string> {
    const words = await this.fillPaidForm(tier);
    await this.sendUntilOpen();
    return words;
  }

  /** With a script, the form first shows valid answers again for checking. */
  async send(): Promise<void> {
    const { page } = this;
    const check = page.getByRole('button', { name: 'Check my answers' });
    if (await check.isVisible()) {
      await check.click();
      await page.locator('#answers:not([hidden]), #problems li').first().waitFor();
      if (await page.locator('#answers').isHidden()) return;
    }
    await page.click('#send');
  }

  async sendUntilOpen(): Promise<void> {
    await this.send();
    await this.waitForOpenCase();
  }

  async waitForOpenCase(): Promise<void> {
    await this.page.getByRole('heading', { name: 'Your case is open' }).waitFor();
  }

  /** Opens the page again if its worker started later than the page waits for it, because the machine is busy. */
  async openCase(words: string): Promise<void> {
    const { page } = this;
    const note = page.locator('#sealing-note [data-when=browser]');
    await waitUntil('the page opens cases in the browser', async () => {
      await openAddress(page, `${this.#shop.origin}/case`);
      await page.focus('#words');
      return await note.waitFor({ timeout: WORKER_START_MS }).then(
        () => true,
        () => false,
      );
    });
    await page.fill('#words', words);
    await page.click('#send');
    await page.locator('#find').waitFor({ state: 'detached' });
  }

  async waitForTitle(name: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name }).waitFor();
  }

  /** Unfolds a part of the page by the text of its summary. */
  async openPart(name: string): Promise<void> {
    await this.page.locator('summary', { hasText: name }).click();
  }

  /** Fills in and sends the message of an open case. */
  async write(text: string): Promise<void> {
    await this.page.fill('#message', text);
    await this.page.locator('#write button[type=submit]').click();
    // The page may still say that an earlier one was sent.
    await waitUntil('the form is empty', async () => (await this.page.inputValue('#message')) === '');
    await this.page.getByText('Your message was sent.').waitFor();
  }

  /** Presses a button that saves a file. */
  async save(button: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
    const [download] = await Promise.all([
      this.page.waitForEvent('download'),
      this.page.getByRole('button', { name: button }).click(),
    ]);
    return { name: download.suggestedFilename(), bytes: await readDownload(download) };
  }

  /** Holds the page's requests to these addresses until the returned function is called. */
  async holdRequests(addresses: string): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    await this.page.route(addresses, async (route) => {
      await promise;
      await route.fallback();
    });
    return resolve;
  }

  /** Answers the page's requests to these addresses with a problem. */
  async refuseRequests(addresses: string, status: number, code: string): Promise<void> {
    const json = { code, detail: 'Wait as long as Retry-After says.' };
    await this.page.route(addresses, (route) =>
      route.fulfill({ status, json, contentType: 'application/problem+json' }),
    );
  }
}
