/** Measures the Lighthouse scores of a page, on its simulated phone on a slow line. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BROWSER_ARGS, getBrowserPath } from './find-browser.ts';
import { installTools } from './third-party-tools.ts';

const RUN_MS = 240_000;
const MAX_REPORT_BYTES = 64 * 1024 ** 2;

interface Audit {
  readonly score: number | null;
  readonly title: string;
  readonly displayValue?: string;
}

interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>;
  readonly audits: Readonly<Record<string, Audit>>;
}

export interface PageScores {
  readonly categories: Readonly<Record<string, number>>;
  /** What reduces the score, and the times behind it. */
  readonly remarks: readonly string[];
}

export interface ScoreOptions {
  readonly cookie?: string | undefined;
  /** Measures only this category. */
  readonly category?: string;
}

/** Measures a page on this machine, which has a self-signed certificate. */
export async function measurePageScores(
  url: string,
  { cookie, category }: ScoreOptions = {},
): Promise<PageScores> {
  const program = join(await installTools(), 'lighthouse', 'cli', 'index.js');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      program,
      url,
      '--output=json',
      '--quiet',
      '--no-enable-error-reporting',
      `--chrome-flags=--headless=new --ignore-certificate-errors ${BROWSER_ARGS.join(' ')}`,
      ...(category ? [`--only-categories=${category}`] : []),
      ...(cookie ? [`--extra-headers=${JSON.stringify({ cookie })}`] : []),
    ],
    {
      env: { ...process.env, CHROME_PATH: getBrowserPath() },
      maxBuffer: MAX_REPORT_BYTES,
      timeout: RUN_MS,
    },
  );
  return toPageScores(JSON.parse(stdout) as Report);
}

function toPageScores({ categories, audits }: Report): PageScores {
  return {
    categories: Object.fromEntries(Object.entries(categories).map(([name, { score }]) => [name, score ?? 0])),
    remarks: Object.entries(audits)
      .filter(([, { score }]) => score !== null && score < 1)
      .map(([id, { score, displayValue }]) => `${id} ${score}${displayValue ? `: ${displayValue}` : ''}`),
  };
}
