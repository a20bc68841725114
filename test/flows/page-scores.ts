/** Scores of a page by Lighthouse, on its own idea of a phone on a slow line. */
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
  /** What costs points, and the times behind the score. */
  readonly remarks: readonly string[];
}

export interface ScoreOptions {
  readonly cookie?: string | undefined;
  /** Only this one is measured. */
  readonly category?: string;
}

/** The address is that of a page on this machine, with a certificate that it made itself. */
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
