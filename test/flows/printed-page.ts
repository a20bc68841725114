/** Returns the parts of a page that are printed. */
import type { Page } from 'playwright-core';

export async function readPrintedLines(page: Page): Promise<string[]> {
  await page.emulateMedia({ media: 'print' });
  const printed = await page.locator('body').innerText();
  await page.emulateMedia({ media: null });
  return printed.split('\n').filter((line) => line.trim() !== '');
}
