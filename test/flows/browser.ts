/** A real browser, if this machine has one that can show a page. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import type { CleanupScope } from '#test/cleanup.ts';

const NAMES = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];
const ARGS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none'];
const LAUNCH_MS = 30_000;

/** One that is named must work; one that merely lies around is used only if it does. */
export async function findBrowser(t: CleanupScope): Promise<Browser | null> {
  const named = process.env['CHROME_PATH'];
  const browser = named ? await launchBrowser(named) : await launchFirstWorking();
  t.after(() => browser?.close());
  return browser;
}

async function launchFirstWorking(): Promise<Browser | null> {
  for (const path of listProgramsOnPath()) {
    const browser = await launchBrowser(path).catch(() => null);
    if (browser) return browser;
  }
  return null;
}

function listProgramsOnPath(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).filter(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Proved by a page: a browser whose libraries are missing still tells its version. */
async function launchBrowser(executablePath: string): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: ARGS, timeout: LAUNCH_MS });
  try {
    const page = await browser.newPage();
    await page.goto('data:text/html,<title>ready</title>', { timeout: LAUNCH_MS });
    await page.close();
    return browser;
  } catch (error) {
    await browser.close();
    throw error;
  }
}

export const viewportWidths = [1280, 390, 320] as const;
export const colorSchemes = ['light', 'dark'] as const;

export async function createBrowserContext(
  browser: Browser,
  width: number,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const height = width > 600 ? 900 : 780;
  return await browser.newContext({ viewport: { width, height }, ignoreHTTPSErrors: true, ...options });
}
