/** `node test/flows/screenshots.ts FOLDER`: a picture of every page and of a case in its states, at every width, light and dark. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { openPlainCase } from '#test/cases/plain-form.ts';
import { findCaseByWords } from '#test/cases/stored-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { allLooks } from '#test/scale.ts';
import { listPageVisits } from '#test/site/every-page.ts';
import { startTestShop, type TestShop } from '#test/test-shop.ts';
import { createBrowserContext } from './browser.ts';
import { openCaseInBrowser } from './buyer.ts';
import { askFromDesk, deliverFindingFromDesk } from './desk-side.ts';
import { findBrowser } from './find-browser.ts';
import { visitInBrowser } from './page-visit.ts';

const FINDING = `# She is who she says she is

The company is **registered**, and she has worked there since 2019.

- Name and face fit [her page](https://example.org/staff)
- The number belongs to the company

| checked | found |
|---|---|
| register | entry of 2019 |
| number | listed |`;
const PROOF = { name: 'register extract.pdf', mime: 'application/pdf', content: Buffer.alloc(120_000) };

const folder = process.argv[2];
const tasks: (() => unknown)[] = [];
const end = withReverseCleanup({ after: (task) => void tasks.push(task) });

try {
  if (!folder) throw new Error('Usage: node test/flows/screenshots.ts FOLDER');
  await captureAllPages(folder);
} finally {
  for (const task of tasks) await task();
}

async function captureAllPages(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const browser = await findBrowser();
  if (!browser) throw new Error('no browser was found: set CHROME_PATH');
  end.after(() => browser.close());
  const shop = await startTestShop(end);
  const visits = await listPageVisits(shop);
  await visitEveryLook(browser, async (page, look) => {
    for (const visit of visits) {
      await visitInBrowser(page, shop.origin, visit);
      await saveScreenshot(page, join(into, `${visit.name}-${look}.png`));
    }
  });
  await captureCaseStates(browser, shop, into);
}

/** One case as it goes on, opened with its words each time. */
async function captureCaseStates(browser: Browser, shop: TestShop, into: string): Promise<void> {
  const words = await openPlainCase(shop, 'Dossier');
  const states: Readonly<Record<string, () => Promise<unknown>>> = {
    received: async () => undefined,
    asked: async () =>
      await askFromDesk(shop, words, 'Which name did she use with you?', { callAct: 'offer' }),
    delivered: async () => await deliverFindingFromDesk(shop, words, FINDING, [PROOF]),
    erased: async () => await purgeCaseNow(shop.services, (await findCaseByWords(shop, words))?.id ?? ''),
  };
  for (const [state, reach] of Object.entries(states)) {
    await reach();
    await visitEveryLook(browser, async (page, look) => {
      await openCaseInBrowser({ page }, shop, words);
      await page.locator('#find').waitFor({ state: 'detached' });
      await saveScreenshot(page, join(into, `case-${state}-${look}.png`));
    });
  }
}

async function visitEveryLook(
  browser: Browser,
  take: (page: Page, look: string) => Promise<void>,
): Promise<void> {
  for (const { width, colorScheme } of allLooks) {
    const context = await createBrowserContext(browser, width, { colorScheme });
    await take(await context.newPage(), `${width}-${colorScheme}`);
    await context.close();
  }
}

async function saveScreenshot(page: Page, path: string): Promise<void> {
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path, fullPage: true });
}
