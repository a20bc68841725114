/** `node test/flows/screenshots.ts FOLDER`: a picture of every page at every width, light and dark. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lastFirst } from '#test/folder.ts';
import { openShop } from '#test/shop.ts';
import { everyPage } from '#test/site/every-page.ts';
import { contextFor, findBrowser, themes, widths } from './browser.ts';
import { openIn } from './visiting.ts';

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
  for (const width of widths)
    for (const colorScheme of themes) {
      const context = await contextFor(browser, width, { colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      for (const visit of visits) {
        await openIn(page, shop.origin, visit);
        await page.evaluate('document.fonts.ready');
        await page.screenshot({
          path: join(into, `${visit.name}-${width}-${colorScheme}.png`),
          fullPage: true,
        });
      }
      await context.close();
    }
}
