/** The browser that the tests of this folder drive; without one, they are skipped. */
import { buffer } from 'node:stream/consumers';
import nodeTest, { before } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Download, Page } from 'playwright-core';
import { type CleanupScope, processScope } from '#test/cleanup.ts';
import { PATIENCE_MS, waitUntil } from '#test/patience.ts';
import { NO_BROWSER } from '#test/test-counts.ts';
import { findBrowser } from './find-browser.ts';

export type TestBrowser = Pick<Browser, 'newContext'>;

export interface BrowserTests {
  readonly browser: TestBrowser;
  /** A test that is skipped if there is no browser. */
  readonly test: (name: string, run: (t: nodeTest.TestContext) => Promise<void> | void) => void;
  /** Runs before the first test if there is a browser. */
  readonly prepare: (run: () => Promise<void>) => void;
}

const browsers = new Map<boolean, Promise<Browser | null>>();

/** With `remembersPages`, Back and Forward restore pages from the browser's memory, as they do for people. */
export async function openBrowserTests(remembersPages = false): Promise<BrowserTests> {
  const opening = browsers.get(remembersPages) ?? openBrowser(remembersPages);
  browsers.set(remembersPages, opening);
  const browser = await opening;
  if (!browser)
    return {
      browser: { newContext: () => Promise.reject(new Error(NO_BROWSER)) },
      test: (name, run) => void nodeTest(name, { skip: NO_BROWSER }, run),
      prepare: () => {},
    };
  return { browser, test: nodeTest as BrowserTests['test'], prepare: before };
}

/** Opens one connection for all files of the process. */
async function openBrowser(remembersPages: boolean): Promise<Browser | null> {
  const browser = await findBrowser(remembersPages);
  if (browser) processScope.after(() => browser.close());
  return browser;
}

/** Disables smooth scrolling, which costs frames and can make a click miss on a busy machine. */
export async function createBrowserContext(
  browser: TestBrowser,
  width: number,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const height = width > 600 ? 900 : 780;
  const context = await browser.newContext({
    viewport: { width, height },
    ignoreHTTPSErrors: true,
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Opens a page in its own context, which is closed after the test. */
export async function openBrowserPage(
  t: CleanupScope,
  browser: TestBrowser,
  width: number,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await createBrowserContext(browser, width, options);
  t.after(() => context.close());
  return await context.newPage();
}

/** Retries, because an overloaded service asks to come back later, which is not under test. */
export async function openAddress(page: Page, address: string): Promise<void> {
  await waitUntil('the page comes', async () => (await page.goto(address))?.ok());
}

/** Returns the parts of a page that are printed. */
export async function readPrintedLines(page: Page): Promise<string[]> {
  await page.emulateMedia({ media: 'print' });
  const printed = await page.locator('body').innerText();
  await page.emulateMedia({ media: null });
  return printed.split('\n').filter((line) => line.trim() !== '');
}

/** Reads a stream, because the files of a shared browser are not accessible. */
export async function readDownload(download: Download): Promise<Buffer> {
  return await buffer(await download.createReadStream());
}
