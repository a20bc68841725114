/** Pages for readers of every kind: large text, colours that the system forces, long references, slow lines. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openPlainCase } from '#test/cases/plain-form.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { listPageVisits } from '#test/site/every-page.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserPage, openBrowserTests } from '../browser.ts';
import { createBrowserBuyer, openCaseInBrowser } from '../buyer.ts';
import { visitInBrowser } from '../page-visit.ts';

const { browser, test } = await openBrowserTests();

const shop = await shareTestShop();
const visits = await listPageVisits(shop);

async function openPage(t: CleanupScope, width: number, locale = 'en'): Promise<Page> {
  return await openBrowserPage(t, browser, width, { locale });
}

async function openInquiryForm(page: Page): Promise<void> {
  const visit = visits.find(({ name }) => name === 'inquiry');
  assert.ok(visit);
  await visitInBrowser(page, shop.origin, visit);
}

/** Enlarges text by the reader's own setting, which also affects media queries, and by zooming the text alone. */
const zoomText = async (page: Page): Promise<void> =>
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
const enlargements: readonly [
  how: string,
  width: number,
  enlarge: (page: Page) => Promise<void>,
  locale?: string,
][] = [
  [
    'by the setting of the browser',
    390,
    async (page) => {
      const session = await page.context().newCDPSession(page);
      await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    },
  ],
  ['by a zoom of the text', 1280, zoomText],
  ['by a zoom of the text, in Spanish', 390, zoomText, 'es'],
];

for (const [how, width, enlarge, locale] of enlargements)
  test(`no page is wider than ${width} pixels when its text is twice as large ${how}`, async (t) => {
    const page = await openPage(t, width, locale);
    const wide: string[] = [];
    for (const visit of visits) {
      await visitInBrowser(page, shop.origin, visit);
      await enlarge(page);
      const parts = await page.evaluate<string[]>(LIST_WIDE_PARTS);
      wide.push(...parts.map((part) => `${visit.name}: ${part}`));
    }
    assert.deepEqual(wide, []);
  });

/** Runs in the page: lists the elements that make it scroll sideways. */
const LIST_WIDE_PARTS = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth)
    .map(({ tagName, className, textContent }) => [tagName, className, textContent.slice(0, 40)].join(' '));
})()`;

test('what is blacked out stays black where the system forces its own colours', async (t) => {
  const page = await openPage(t, 390);
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(shop.origin);
  const colors = await page.evaluate<string[]>(
    `[document.body, ...document.querySelectorAll('.bar')].map((part) => getComputedStyle(part).backgroundColor)`,
  );
  const [paper, ...bars] = colors;
  assert.equal(bars.length, 4);
  for (const bar of bars) assert.notEqual(bar, paper);
});

test('the bar with the way out is one row on a screen that is magnified four times, in each language', async (t) => {
  for (const locale of ['en', 'es']) {
    const page = await openPage(t, 320, locale);
    await page.goto(`${shop.origin}/case`);
    const bar = await page.locator('.out').boundingBox();
    assert.ok(bar && bar.height <= 64, `${locale}: ${bar?.height}`);
  }
});

test('the steps of a case are told apart where the system forces its own colours', async (t) => {
  const { page } = await openCase(t);
  await page.emulateMedia({ forcedColors: 'active' });
  const dots = await page.evaluate<[stage: string, look: string][]>(
    `[...document.querySelectorAll('.way li')].map((step) => {
      const { backgroundColor, borderStyle } = getComputedStyle(step, '::before');
      return [step.className, [backgroundColor, borderStyle].join(' ')];
    })`,
  );
  const looks = new Map(dots);
  assert.deepEqual([...looks.keys()], ['done', 'current', 'ahead']);
  assert.equal(new Set(looks.values()).size, 3, JSON.stringify(dots));
});

async function openCase(t: CleanupScope): Promise<{ page: Page }> {
  const words = await openPlainCase(shop, 'Dossier');
  const buyer = await createBrowserBuyer(t, browser);
  await openCaseInBrowser(buyer, shop, words);
  await buyer.page.locator('.way li').first().waitFor();
  return buyer;
}

for (const javaScriptEnabled of [true, false])
  test(`no hint of the form ${javaScriptEnabled ? 'with' : 'without'} a script runs on in the line of its box or touches the one above`, async (t) => {
    const page = await openBrowserPage(t, browser, 390, { javaScriptEnabled });
    await openInquiryForm(page);
    if (javaScriptEnabled) await page.locator('[data-when=browser]').waitFor();
    for (const part of await page.locator('main summary:visible').all()) await part.click();
    assert.deepEqual(await page.evaluate(LIST_GLUED_HINTS), []);
  });

/** Runs in the page: lists hints of fields with too little space above. */
const LIST_GLUED_HINTS = `[...document.querySelectorAll('main :is(.hint, .apart, .draft)')].flatMap((part) => {
  let above = part.previousSibling;
  const range = new Range();
  const measure = () => (range.selectNode(above), range.getBoundingClientRect());
  while (above && (above.textContent.trim() === '' && above.nodeType === 3 || measure().height === 0)) above = above.previousSibling;
  if (!above || !part.checkVisibility()) return [];
  const text = part.querySelector('summary') ?? part;
  const top = text.getBoundingClientRect().top + parseFloat(getComputedStyle(text).paddingTop);
  const air = top - measure().bottom;
  const isBox = above.nodeType === 1 && above.matches('.field, div, details');
  return air < (isBox ? 8 : 0) ? [part.textContent + ': ' + air] : [];
})`;

test('no part of an open case touches what is under it', async (t) => {
  const { page } = await openCase(t);
  await page.evaluate(`document.querySelectorAll('.fold').forEach((part) => { part.open = true; })`);
  assert.deepEqual(await page.evaluate(LIST_TIGHT_PARTS), []);
});

/** Runs in the page: lists headings and the clock of a case with less than 8 pixels of space below. */
const LIST_TIGHT_PARTS = `[...document.querySelectorAll('.clock, .fold > summary h2')].flatMap((part) => {
  const next = part.closest('summary')?.nextElementSibling ?? part.nextElementSibling;
  const air = next.getBoundingClientRect().top - part.getBoundingClientRect().bottom;
  return next.checkVisibility() && air < 8 ? [part.textContent + ': ' + air] : [];
})`;

test('no heading of the form touches what is under it, also where something is wrong', async (t) => {
  for (const width of [1280, 390]) {
    const page = await openPage(t, width);
    await openInquiryForm(page);
    await page.locator('[data-when=browser]').waitFor();
    assert.deepEqual(await page.evaluate(LIST_TIGHT_HEADINGS), []);
    await page.locator('[type=submit]:visible').first().click();
    await page.locator('.problems').waitFor();
    assert.deepEqual(await page.evaluate(LIST_TIGHT_HEADINGS), []);
    const bars = await page.evaluate<number[]>(LIST_BAR_OFFSETS);
    assert.ok(bars.length > 0);
    for (const offset of bars) assert.ok(offset >= 0, `a red bar begins ${-offset} pixels above its legend`);
  }
});

/** Runs in the page: lists headings of groups with less than 12 pixels of space below. */
const LIST_TIGHT_HEADINGS = `[...document.querySelectorAll('.group')].flatMap((group) => {
  const legend = group.querySelector('legend');
  const next = [...group.children].find((part) => part !== legend && part.getBoundingClientRect().height > 0);
  const first = next?.querySelector('legend, label') ?? next;
  if (!first) return [];
  const air = Math.min(next.getBoundingClientRect().top, first.getBoundingClientRect().top) - legend.getBoundingClientRect().bottom;
  return air < 12 ? [legend.textContent + ': ' + air] : [];
})`;

/** Runs in the page: lists how far below the top of its bar the text of each invalid field begins. */
const LIST_BAR_OFFSETS = `[...document.querySelectorAll('.field.wrong')].map((field) =>
  field.querySelector('legend, label').getBoundingClientRect().top - field.getBoundingClientRect().top)`;

test('a buyer who writes from right to left sees it that way, on the form and among the answers', async (t) => {
  const page = await openPage(t, 390);
  await openInquiryForm(page);
  const directions = await page.evaluate<Record<string, string>>(
    `Object.fromEntries([...document.querySelectorAll('textarea, input.input[type=text], .told dd')]
      .map((field) => [field.id, getComputedStyle(field).unicodeBidi]))`,
  );
  assert.ok('question' in directions && 'subject' in directions);
  for (const [id, direction] of Object.entries(directions)) assert.equal(direction, 'plaintext', id);
});

test('the contents stay beside a page of the reference, and are folded on a phone', async (t) => {
  const wide = await openPage(t, 1280);
  await wide.goto(`${shop.origin}/docs/cases`);
  await wide.evaluate('scrollTo(0, document.body.scrollHeight / 2)');
  const box = await wide.locator('.contents').boundingBox();
  assert.ok(box && box.y >= 0 && box.y < 200 && box.height < 900, JSON.stringify(box));
  assert.ok(await wide.locator('#getCase table').first().isVisible());
  const phone = await openBrowserPage(t, browser, 390, { javaScriptEnabled: false });
  await phone.goto(`${shop.origin}/docs/cases`);
  assert.ok(!(await phone.locator('.contents a').first().isVisible()));
  const table = phone.locator('#getCase table').last();
  assert.ok(!(await table.isVisible()));
  await phone.locator('#getCase summary', { hasText: 'Answer 200' }).click();
  assert.ok(await table.isVisible());
});

test('a reader of the reference finds an operation by a word, and copies its example', async (t) => {
  const page = await openBrowserPage(t, browser, 390, { permissions: ['clipboard-write'] });
  await page.goto(`${shop.origin}/docs`);
  await page.getByLabel('Find an operation').fill('withdraw');
  await page.getByText('1 entry').waitFor();
  const found = page.locator('#operations li:visible');
  assert.equal(await found.count(), 1);
  await found.getByRole('link').click();
  await page.waitForURL(/\/docs\/cases#withdrawCase$/);
  await page.locator('#withdrawCase .copy').first().click();
  await page.locator('#withdrawCase').getByText('Copied').waitFor();
  await page.goto(`${shop.origin}/docs`);
  const box = page.getByLabel('Find an operation');
  await box.press('ControlOrMeta+V');
  assert.match(await box.inputValue(), /^curl -X DELETE /);
});
