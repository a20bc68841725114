/** Measures the time to the first paint of a page on a slow line. */
import { createBrowserContext, type TestBrowser } from './browser.ts';

/** 400 kbit/s with 400 ms of latency: a phone at the edge of its network. */
const SLOW_LINE = {
  offline: false,
  latency: 400,
  downloadThroughput: 400_000 / 8,
  uploadThroughput: 400_000 / 8,
};

/** Returns milliseconds after the click. */
export async function measureFirstPaint(browser: TestBrowser, url: string): Promise<number> {
  const context = await createBrowserContext(browser, 390);
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', SLOW_LINE);
    await page.goto(url);
    return await page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0].startTime`);
  } finally {
    await context.close();
  }
}
