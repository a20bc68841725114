/** `npm run pictures`: takes the documents' pictures of a made-up day at the desk; `pngquant` cuts two thirds off. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { endProcessScope, processScope } from '#test/cleanup.ts';
import { fillOffice, MAIN_CASE, SAMPLE_FINDING } from '#test/desk/busy-office.ts';
import { connectConfirmedDesk } from '#test/desk/connected-desk.ts';
import { startDeskWindow } from '#test/desk/desk-window.ts';
import { buildDeskApp } from '#test/desk-api/desk-client.ts';
import { answerAsBuyer } from '#test/desk-api/planted-case.ts';
import { createBrowserContext } from './browser.ts';
import { findBrowser } from './find-browser.ts';

const WIDE = { width: 1366, height: 768 };
const NARROW = { width: 390, height: 844 };

const folder = process.argv[2];

try {
  if (!folder) throw new Error('Usage: node test/flows/desk-pictures.ts FOLDER');
  await captureDesk(folder);
} finally {
  await endProcessScope();
}

async function captureDesk(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const browser = await findBrowser();
  if (!browser) throw new Error('no browser was found: set CHROME_PATH');
  processScope.after(() => browser.close());
  const office = await buildDeskApp(processScope, { Sam: 'owner', Kim: 'investigator' });
  const keys = { sam: office.keys.Sam, kim: office.keys.Kim };
  const sam = await connectConfirmedDesk(processScope, office, keys.sam);
  const kim = await connectConfirmedDesk(processScope, office, keys.kim);
  const cases = await fillOffice({ ...office, keys }, { sam, kim });
  const { origin, enter } = await startDeskWindow(processScope, sam);
  const context = await createBrowserContext(browser, WIDE.width);
  const page = await context.newPage();
  await enter(page);
  const open = async (name: string) => await page.goto(`${origin}/cases/${cases.get(name)!.id}`);
  // The list names cases that this desk has opened; the answer arrives afterwards, and is new.
  for (const name of ['serene ravine', 'northern kettle', 'breezy pasture', MAIN_CASE]) await open(name);
  const answer = 'She asked for the passport again today.';
  await answerAsBuyer(office.services, keys.sam, cases.get(MAIN_CASE)!, answer);
  await page.goto(`${origin}/queue`);
  await saveDeskPicture(page, join(into, 'desk-queue.png'), WIDE);
  await page.emulateMedia({ colorScheme: 'dark' });
  await saveDeskPicture(page, join(into, 'desk-queue-dark.png'), NARROW);
  await page.emulateMedia({ colorScheme: 'light' });
  await open(MAIN_CASE);
  await saveDeskPicture(page, join(into, 'desk-case.png'), WIDE);
  await page.getByRole('link', { name: /Write the finding/ }).click();
  await page.fill('#markdown', SAMPLE_FINDING);
  const extract = {
    name: 'register-extract.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.alloc(120_000),
  };
  await page.setInputFiles('#file', extract);
  await page.getByRole('button', { name: /Preview/ }).click();
  await page.locator('.paper h3').first().waitFor();
  await saveDeskPicture(page, join(into, 'desk-write.png'), WIDE);
}

async function saveDeskPicture(page: Page, path: string, size: typeof WIDE): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path });
}
