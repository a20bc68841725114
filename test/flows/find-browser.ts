/** Finds a Chromium that can show a page: the specified one, the one from npm, or one on the PATH. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import type { CleanupScope } from '#test/cleanup.ts';
import { PATIENCE_MS } from '#test/patience.ts';
import { extractNpmBrowser } from './npm-browser.ts';

const NAMES = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'];
export const BROWSER_ARGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--font-render-hinting=none',
];

/** The variable with the address of the run's shared browser and the path of its program. */
const SHARED_BROWSER_VARIABLE = 'TEST_BROWSER';
/** By default, the driver disables the memory of left pages, which the browsers of people have. */
const PAGE_MEMORY = { on: '--enable-bfcache', off: '--disable-back-forward-cache' } as const;

let provenPath: string | undefined;

/** Starts one browser for all processes of a run, in which each test has its own context. */
export async function startSharedBrowser(t: CleanupScope): Promise<void> {
  const found = await findBrowser();
  if (!found || !provenPath) return;
  await found.close();
  const server = await chromium.launchServer({ executablePath: provenPath, args: BROWSER_ARGS });
  t.after(() => server.close());
  process.env[SHARED_BROWSER_VARIABLE] = `${server.wsEndpoint()} ${provenPath}`;
}

/** A specified browser must work; the others are used only if they do. */
export async function findBrowser(remembersPages = false): Promise<Browser | null> {
  const [endpoint, sharedPath] = process.env[SHARED_BROWSER_VARIABLE]?.split(' ') ?? [];
  if (endpoint && !remembersPages) {
    provenPath = sharedPath;
    return await chromium.connect(endpoint, { timeout: PATIENCE_MS });
  }
  const named = process.env['CHROME_PATH'];
  if (named) return await launchBrowser(named, remembersPages);
  const fromNpm = await extractNpmBrowser();
  for (const path of [...(fromNpm ? [fromNpm] : []), ...listProgramsOnPath()]) {
    const browser = await launchBrowser(path, remembersPages).catch(() => null);
    if (browser) return browser;
  }
  return null;
}

/** Returns the path of the found browser, for programs that start one themselves. */
export function getBrowserPath(): string | undefined {
  return provenPath;
}

/** Launches the same browser with a profile on disk, to test what it writes there. */
export async function launchBrowserWithProfile(folder: string): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(folder, {
    ...(provenPath && { executablePath: provenPath }),
    args: BROWSER_ARGS,
    ignoreHTTPSErrors: true,
    timeout: PATIENCE_MS,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

function listProgramsOnPath(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
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

/** Opens a page as a test, because a browser without its libraries can still report its version. */
async function launchBrowser(executablePath: string, remembersPages: boolean): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    args: [...BROWSER_ARGS, ...(remembersPages ? [PAGE_MEMORY.on] : [])],
    ignoreDefaultArgs: remembersPages ? [PAGE_MEMORY.off] : [],
    timeout: PATIENCE_MS,
  });
  try {
    const page = await browser.newPage();
    await page.goto('data:text/html,<title>ready</title>', { timeout: PATIENCE_MS });
    await page.close();
    provenPath = executablePath;
    return browser;
  } catch (error) {
    await browser.close();
    throw error;
  }
}
