/** `node test/flows/screenshots.ts FOLDER`: a picture of every page and of a case in its states, at every width, light and dark. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { purgeAtOnce } from '#cases/purge.ts';
import { caseOf } from '#test/cases/opened.ts';
import { paidForm, sendPlain } from '#test/cases/plain-form.ts';
import { lastFirst } from '#test/folder.ts';
import { openShop, type Shop } from '#test/shop.ts';
import { everyPage } from '#test/site/every-page.ts';
import { contextFor, findBrowser, themes, widths } from './browser.ts';
import { openCase } from './buyer.ts';
import { ask, deliverFinding } from './desk.ts';
import { openIn } from './visiting.ts';

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
const end = lastFirst({ after: (task) => void tasks.push(task) });

try {
  if (!folder) throw new Error('Usage: node test/flows/screenshots.ts FOLDER');
  await takePictures(folder);
} finally {
  for (const task of tasks) await task();
}

async function takePictures(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const browser = await findBrowser(end);
  if (!browser) throw new Error('no browser was found: set CHROME_PATH');
  const shop = await openShop(end);
  const visits = await everyPage(shop);
  await everyLook(browser, async (page, look) => {
    for (const visit of visits) {
      await openIn(page, shop.origin, visit);
      await picture(page, join(into, `${visit.name}-${look}.png`));
    }
  });
  await takeCase(browser, shop, into);
}

/** One case as it goes on, opened with its words each time. */
async function takeCase(browser: Browser, shop: Shop, into: string): Promise<void> {
  const form = await paidForm(shop, 'Dossier');
  await sendPlain(shop, form);
  const { words } = form;
  const states: Readonly<Record<string, () => Promise<unknown>>> = {
    received: async () => undefined,
    asked: async () => await ask(shop, words, 'Which name did she use with you?', { callAct: 'offer' }),
    delivered: async () => await deliverFinding(shop, words, FINDING, [PROOF]),
    erased: async () => await purgeAtOnce(shop.services, (await caseOf(shop, words))?.id ?? ''),
  };
  for (const [state, reach] of Object.entries(states)) {
    await reach();
    await everyLook(browser, async (page, look) => {
      await openCase({ page }, shop, words);
      await page.locator('#find').waitFor({ state: 'detached' });
      await picture(page, join(into, `case-${state}-${look}.png`));
    });
  }
}

async function everyLook(browser: Browser, take: (page: Page, look: string) => Promise<void>): Promise<void> {
  for (const width of widths)
    for (const colorScheme of themes) {
      const context = await contextFor(browser, width, { colorScheme, reducedMotion: 'reduce' });
      await take(await context.newPage(), `${width}-${colorScheme}`);
      await context.close();
    }
}

async function picture(page: Page, path: string): Promise<void> {
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path, fullPage: true });
}
