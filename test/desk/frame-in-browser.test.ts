/** The frame of the desk and its locked page in a browser: accessible, fit for its widths, usable by keys. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import type { DeskRoute } from '#desk/loopback/page-route.ts';
import { renderFormToken } from '#desk/pages/page-frame.ts';
import { renderDue } from '#desk/pages/shown-time.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { createBrowserContext, openBrowserPage, openBrowserTests } from '#test/flows/browser.ts';
import { assertPageSoundEverywhere } from '#test/flows/page-checks.ts';
import { html } from '#view/html.ts';
import { PASSPHRASE, startLoopbackDesk } from './loopback-desk.ts';

const cleanup = withReverseCleanup({ after });
const { browser, test } = await openBrowserTests();
const rows: DeskRoute = {
  method: 'GET',
  path: '/rows',
  answer: ({ visit }) => ({
    page: {
      title: 'Desk: 2 new',
      nav: 'queue',
      strip: html`<p class="notice"><span><b>amber lantern is delivered.</b> Robin can see it from 10:12.</span></p>`,
      main: html`<main class="panes" id="main"><section class="list" aria-label="Cases"><div class="list-head"><h1>Queue</h1></div><ol class="rows">${['amber', 'brisk', 'copper'].map((name) => html`<li><a class="row" id="${name}" href="/queue"><span class="name"><b>${name}</b></span><span class="due">${renderDue({ due_at: new Date(Date.now() + 110_000).toISOString() }, Date.now(), 'in *')}</span></a></li>`)}</ol></section>
<div class="pane"><form method="dialog" action="/acts">${renderFormToken(visit)}<div class="field"><label for="text">Reply</label><textarea class="input" id="text" name="text" aria-keyshortcuts="r"></textarea></div><button class="button quiet" name="act" value="save" aria-keyshortcuts="Control+S">Save</button></form></div></main>`,
    },
  }),
};
const desk = await startLoopbackDesk(cleanup, {
  routes: [rows],
  facts: { isTestOffice: true, newsShown: 4 },
});
const { origin } = desk.server;

/** Errors that the browser reports, above all what its policies have blocked. */
const errors: string[] = [];

let last: BrowserContext | undefined;

/** A second entry ends the first one, so the first window is closed. */
async function enter(width: number): Promise<Page> {
  await last?.close();
  const context = await createBrowserContext(browser, width);
  last = context;
  cleanup.after(() => context.close());
  const page = await context.newPage();
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  await page.goto(`${origin}/enter/${desk.entry.makeSecret()}`);
  await page.waitForURL(`${origin}/queue`);
  return page;
}

const getFocusedId = (page: Page) => page.evaluate<string>('document.activeElement.id');

test('frame, overlay of keys and locked page are accessible in each width and colour', async () => {
  const page = await enter(1366);
  await page.goto(`${origin}/rows`);
  await assertPageSoundEverywhere(page, 'the frame');
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  await assertPageSoundEverywhere(page, 'the keys');
  await page.keyboard.press('Escape');
  await page.goto(`${origin}/nowhere`);
  await assertPageSoundEverywhere(page, 'no such page');
  await page.setViewportSize({ width: 390, height: 780 });
  await page.goto(`${origin}/rows`);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name: 'Lock' }).waitFor();
  await assertPageSoundEverywhere(page, 'the menu');
  await page.setViewportSize({ width: 390, height: 780 });
  await page.goto(`${origin}/queue`);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name: 'Lock' }).click();
  await page.getByRole('heading', { name: 'The desk is locked' }).waitFor();
  await assertPageSoundEverywhere(page, 'the locked page');
  await page.goto(`${origin}/enter/${desk.entry.makeSecret()}`);
  await page.getByLabel(/Passphrase of/).waitFor();
  await assertPageSoundEverywhere(page, 'the locked page after a new entry');
  await page.getByLabel(/Passphrase of/).fill('wrong');
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.getByText('does not open the key').waitFor();
  await assertPageSoundEverywhere(page, 'a wrong passphrase');
  await page.getByLabel(/Passphrase of/).fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.waitForURL(`${origin}/queue`);
});

test('keys press what is on the page, and stay out of fields', async () => {
  const page = await enter(1366);
  await page.goto(`${origin}/rows`);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  assert.equal(await getFocusedId(page), 'brisk');
  await page.keyboard.press('k');
  assert.equal(await getFocusedId(page), 'amber');
  await page.keyboard.press('ArrowDown');
  assert.equal(await getFocusedId(page), 'brisk');
  await page.keyboard.press('r');
  assert.equal(await getFocusedId(page), 'text');
  await page.keyboard.type('jr?L1./');
  assert.equal(await page.getByLabel('Reply').inputValue(), 'jr?L1./');
  await page.keyboard.press('Control+s');
  await page.waitForURL(`${origin}/queue`);
  assert.equal(desk.posted.at(-1)?.get('text'), 'jr?L1./');
  await page.goto(`${origin}/rows`);
  await page.keyboard.press('/');
  assert.equal(await getFocusedId(page), 'find');
  const sent = desk.posted.length;
  await page.keyboard.press('Control+s');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+s');
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  assert.equal(await getFocusedId(page), 'keys');
  await page.keyboard.press('Shift+L');
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Keys' }).waitFor({ state: 'hidden' });
  assert.equal(page.url(), `${origin}/rows`);
  assert.equal(desk.posted.length, sent, 'no other form was sent, and nothing behind the overlay');
  await page.keyboard.press('Shift+L');
  await page.getByRole('heading', { name: 'The desk is locked' }).waitFor();
  desk.lock.hold(desk.unlocked);
});

test('an open page says that there is news, in its title too, and its clocks run; nothing moves', async () => {
  const page = await enter(1366);
  await page.clock.install();
  await page.goto(`${origin}/rows`);
  const clock = page.locator('#amber .due');
  assert.equal(await clock.innerText(), 'in 2 minutes');
  await page.locator('#brisk').focus();
  const readPlaces = () =>
    page.locator('.row').evaluateAll('(rows) => rows.map((row) => row.getBoundingClientRect().top)');
  const places = await readPlaces();
  desk.news.numbers = [4, 5, 6];
  await page.clock.fastForward(150_000);
  await page.getByRole('link', { name: '2 new, press .' }).waitFor();
  assert.equal(await page.title(), '+2 new · Desk: 2 new');
  await clock.getByText('1 minute late').waitFor();
  assert.ok(await clock.locator('.late').isVisible());
  assert.deepEqual([await getFocusedId(page), await readPlaces()], ['brisk', places]);
  await assertPageSoundEverywhere(page, 'an open page with news');
  Object.assign(desk.news, { numbers: [4], isReached: false });
  await page.clock.fastForward(6_000);
  await page.getByText('Not reached since 10:02').waitFor();
  assert.equal(await page.title(), 'Desk: 2 new');
  Object.assign(desk.news, { isReached: true });
});

test('a text is saved while it is typed, and before a link is followed, and the page says which', async () => {
  const page = await enter(1366);
  await page.goto(`${origin}/writing`);
  const field = page.getByLabel('Reply');
  const label = page.locator('[data-saved]');
  desk.posted.length = 0;
  await field.pressSequentially('Which name');
  assert.equal(await label.textContent(), 'not saved yet');
  await page.getByText('saved 19:11').waitFor();
  const [saved] = desk.posted;
  assert.deepEqual(
    ['reply', 'page', 'reply_base'].map((name) => saved?.get(name)),
    ['Which name', 'p', 'b'],
  );
  await field.pressSequentially(' did');
  await page.keyboard.press('Escape');
  await page.keyboard.press('1');
  await page.waitForURL(`${origin}/queue`);
  assert.equal(desk.posted.at(-1)?.get('reply'), 'Which name did');
});

test('what is typed while a save is under way is kept as well if the desk locks meanwhile', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = async () => {
    begun.resolve();
    await ended.promise;
    return { said: 'saved 19:11' };
  };
  const kept: (string | undefined)[] = [];
  const slow = await startLoopbackDesk(cleanup, {
    routes: [{ method: 'POST', path: '/cases/:id/drafts', answer }],
    keepForm: async ({ fields }) => {
      kept.push(fields['reply']);
      return null;
    },
  });
  const page = await openBrowserPage(cleanup, browser, 1366);
  await page.goto(`${slow.server.origin}/enter/${slow.entry.makeSecret()}`);
  await page.waitForURL(`${slow.server.origin}/queue`);
  await page.goto(`${slow.server.origin}/writing`);
  await page.getByLabel('Reply').pressSequentially('Which name');
  await begun.promise;
  await page.getByLabel('Reply').pressSequentially(' did they use');
  slow.lock.lock('signal');
  ended.resolve();
  await page.waitForURL(/\/unlock/);
  assert.deepEqual(kept, ['Which name did they use']);
});

test('a locked desk leads a page that saves to its own page, and an ended one leaves the text on the screen', async () => {
  const page = await enter(1366);
  await page.goto(`${origin}/writing`);
  desk.lock.lock('signal');
  await page.getByLabel('Reply').fill('typed after the lock');
  await page.waitForURL(`${origin}/unlock?text=kept`);
  desk.lock.hold(desk.unlocked);
  const ended = await startLoopbackDesk(cleanup);
  await page.goto(`${ended.server.origin}/enter/${ended.entry.makeSecret()}`);
  await page.waitForURL(`${ended.server.origin}/queue`);
  await page.goto(`${ended.server.origin}/writing`);
  await page.getByLabel('Reply').fill('typed after the end');
  ended.server.close();
  await page.locator('[role=alert].sure').waitFor();
  assert.equal(await page.getByLabel('Reply').inputValue(), 'typed after the end');
  assert.equal(await page.locator('[data-saved]').textContent(), 'not saved yet');
  errors.length = 0;
});

test('a button that goes off while the desk proves itself sends nothing, rather than a form without its act', async () => {
  const page = await enter(1366);
  await page.goto(`${origin}/rows`);
  await page.evaluate("document.querySelector('button[value=save]').setAttribute('data-office', '')");
  const posts: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
  Object.assign(desk.news, { isReached: false });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('button[value=save]:disabled').waitFor();
  Object.assign(desk.news, { isReached: true });
  await page.locator('button[value=save]:enabled').waitFor();
  assert.deepEqual(posts, []);
});

test('single keys can be switched off; arrows and Ctrl stay', async () => {
  const page = await enter(1366);
  await page.goto(`${origin}/rows`);
  await page.keyboard.press('?');
  await page.getByRole('button', { name: 'Turn single keys off' }).click();
  await page.waitForURL(`${origin}/queue`);
  await page.goto(`${origin}/rows`);
  await page.keyboard.press('j');
  await page.keyboard.press('r');
  assert.equal(await getFocusedId(page), '');
  await page.locator('#amber').focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(await getFocusedId(page), 'brisk');
  await page.getByRole('button', { name: /Keys/ }).click();
  await page.getByRole('button', { name: 'Turn single keys on' }).click();
  await page.waitForURL(`${origin}/queue`);
});

test('the browser had nothing to block', () => {
  assert.deepEqual(
    errors.filter((text) => !/status of (?:404|422)/.test(text)),
    [],
  );
});
