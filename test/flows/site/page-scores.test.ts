/** Lighthouse scores of pages on which visitors stay or leave, in the long run; every run checks the tools' lock. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import nodeTest, { after } from 'node:test';
import { agentPaths } from '#platform/addresses.ts';
import { scale } from '#test/scale.ts';
import { listPageVisits } from '#test/site/every-page.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserTests } from '../browser.ts';
import { measureFirstPaint } from '../first-paint.ts';
import { startHttp2Front } from '../http2-front.ts';
import { measurePageScores, type PageScores, type ScoreOptions } from '../page-scores.ts';
import { TOOLS_FOLDER } from '../third-party-tools.ts';

const PERFORMANCE = 'performance';
const FOR_AGENTS = 'agentic-browsing';
const WANTED_OF_EVERY_PAGE = { [PERFORMANCE]: 0.98, accessibility: 1, 'best-practices': 1 } as const;
const WANTED = { ...WANTED_OF_EVERY_PAGE, [FOR_AGENTS]: 1 } as const;
const FIRST_PAINT_MS = 3_000;
/** Other load can only make a page slower, so the best of several tries counts. */
const TRIES = 5;

nodeTest('the tools are pinned, and their lock names no registry', () => {
  const readJson = (name: string) => JSON.parse(readFileSync(join(TOOLS_FOLDER, name), 'utf8'));
  const { devDependencies } = readJson('package.json') as { devDependencies: Record<string, string> };
  for (const version of Object.values(devDependencies)) assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/);
  const { packages } = readJson('package-lock.json') as {
    packages: Record<string, { integrity?: string; resolved?: string }>;
  };
  for (const [name, { integrity, resolved }] of Object.entries(packages)) {
    assert.equal(resolved, undefined, name);
    if (name !== '') assert.match(integrity ?? '', /^sha512-/, name);
  }
});

if (scale.scoredPages.length > 0) {
  const { browser, test } = await openBrowserTests();
  const shop = await shareTestShop();
  const visits = await listPageVisits(shop);
  const front = await startHttp2Front({ after }, shop);
  test('the home page is seen within three seconds on a slow line', async (t) => {
    const times: number[] = [];
    for (let tries = 0; tries < TRIES; tries += 1) times.push(await measureFirstPaint(browser, shop.origin));
    t.diagnostic(`first paint: ${times.map(Math.round).join(', ')} ms`);
    assert.ok(Math.min(...times) <= FIRST_PAINT_MS, String(times));
  });
  for (const name of scale.scoredPages)
    test(`${name} is fast on a slow phone, accessible and well made`, async (t) => {
      const { path, cookie } = visits.find((visit) => visit.name === name) ?? { path: '/' };
      const { categories, remarks } = await measureBest(front + path, PERFORMANCE, { cookie });
      const told = JSON.stringify({ categories, remarks }, null, 2);
      t.diagnostic(`${name}: ${told}`);
      for (const [category, wanted] of Object.entries(WANTED_OF_EVERY_PAGE))
        assert.ok((categories[category] ?? 0) >= wanted, told);
    });
  for (const path of ['/', agentPaths.docs])
    test(`an agent in a browser finds its way about ${path}`, async (t) => {
      const { categories, remarks } = await measureBest(front + path, FOR_AGENTS, { category: FOR_AGENTS });
      const told = JSON.stringify({ categories, remarks }, null, 2);
      t.diagnostic(`${path}: ${told}`);
      assert.equal(categories[FOR_AGENTS], WANTED[FOR_AGENTS], told);
    });
}

/** Measures the best score in one category. A run that could not record the page does not count. */
async function measureBest(
  url: string,
  category: keyof typeof WANTED,
  options: ScoreOptions,
): Promise<PageScores> {
  let best: PageScores | undefined;
  const getScore = ({ categories }: PageScores) => categories[category] ?? 0;
  const failures: unknown[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) {
    const scores = await measurePageScores(url, options).catch((error: unknown) => void failures.push(error));
    if (scores && (!best || getScore(scores) > getScore(best))) best = scores;
    if (best && getScore(best) >= WANTED[category]) return best;
  }
  if (!best) throw new AggregateError(failures, 'no page could be measured');
  return best;
}
