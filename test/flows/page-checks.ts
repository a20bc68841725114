/** Checks for every page: accessible, no wider than the window, in its own fonts. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { waitUntil } from '#test/patience.ts';
import { isLongRun, scale } from '#test/scale.ts';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Enough for a second appearance: the other rules were checked with the first one. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
const axe = await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Checks the rules in the current colours, and always that the page fits the current width. */
export async function assertPageSound(
  page: Page,
  name: string,
  rules: readonly string[] = RULES,
): Promise<void> {
  // Waits for the fonts, because the page may be wider with fallback fonts.
  await waitUntil(`${name} has its fonts`, () => hasLoadedFonts(page));
  if (rules.length > 0) assert.deepEqual(await listViolations(page, rules), [], name);
  assert.equal(await computeOverflow(page), 0, `${name} is wider than the window`);
}

let turn = 0;

/** For pages that take several steps to reach; the short run alternates between light and dark. */
export async function assertPageSoundEverywhere(page: Page, name: string): Promise<void> {
  turn += 1;
  for (const [index, { width, colorScheme }] of scale.appearances.entries()) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const whole = index === 0 ? RULES : COLOUR_RULES;
    const part = index === turn % scale.appearances.length ? RULES : [];
    await assertPageSound(page, `${name} at ${width} pixels, ${colorScheme}`, isLongRun ? whole : part);
  }
}

/** Returns only violations: the passed checks are a hundred times as many, and transferring them would take longest. */
async function listViolations(page: Page, rules: readonly string[]): Promise<string[]> {
  // Scrolls to the top, because the bar covers parts of a scrolled page.
  await page.evaluate('scrollTo(0, 0)');
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe);
  const found = await page.evaluate<AxeResults['violations']>(
    `axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then((all) => all.violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

async function computeOverflow(page: Page): Promise<number> {
  return await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

async function hasLoadedFonts(page: Page): Promise<boolean> {
  // A font is loaded only once something was laid out in it.
  return await page.evaluate(
    `void document.body.offsetWidth, document.fonts.ready.then(() => [...document.fonts].every(({ status }) => status === 'loaded'))`,
  );
}
