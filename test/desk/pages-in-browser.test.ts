/** Contact, agents, orders, people, numbers and log in a browser: empty and full, on paper, without a script. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import type { DeskOffice } from '#desk/office/office-client.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { buildDeskApp } from '#test/desk-api/desk-client.ts';
import type { PlantedCase } from '#test/desk-api/planted-case.ts';
import { openBrowserPage, openBrowserTests, readPrintedLines } from '#test/flows/browser.ts';
import { assertPageSound, assertPageSoundEverywhere } from '#test/flows/page-checks.ts';
import { waitUntil } from '#test/patience.ts';
import { DELIVERED_CASE, fillOffice, LONG_MAIL, MAIN_CASE } from './busy-office.ts';
import { connectConfirmedDesk } from './connected-desk.ts';
import { type DeskWindow, startDeskWindow } from './desk-window.ts';

const cleanup = withReverseCleanup({ after });
const { browser, prepare, test } = await openBrowserTests();
let desks: Readonly<Record<'sam' | 'kim', DeskOffice>>;
let window: DeskWindow;
let page: Page;
let planted: ReadonlyMap<string, PlantedCase>;
let office: Awaited<ReturnType<typeof buildDeskApp<'sam' | 'kim'>>>;

/** The heading and path of each page. */
const PAGES = ['Contact', 'Agents', 'Orders', 'People', 'Numbers', 'Log'] as const;

/** Opens a page in a wide window by default, whatever the width was before. */
async function openPage(path: string, width = 1366): Promise<void> {
  await page.setViewportSize({ width, height: 768 });
  const answer = await page.goto(`${window.origin}${path}`);
  assert.equal(answer?.status(), 200, path);
}

async function enterWindow(width: number, options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const entered = await openBrowserPage(cleanup, browser, width, options);
  await window.enter(entered);
  return entered;
}

prepare(async () => {
  office = await buildDeskApp(cleanup, { sam: 'owner', kim: 'investigator' });
  desks = {
    sam: await connectConfirmedDesk(cleanup, office, office.keys.sam),
    kim: await connectConfirmedDesk(cleanup, office, office.keys.kim),
  };
  window = await startDeskWindow(cleanup, desks.sam);
  page = await enterWindow(1366);
});

test('each page is sound when everything has happened, with long names and addresses', async () => {
  planted = await fillOffice(office, desks);
  for (const name of PAGES) {
    await openPage(`/${name.toLowerCase()}`);
    await assertPageSoundEverywhere(page, `${name}, full`);
  }
  await openPage('/contact');
  for (const row of [0, 1]) {
    await Promise.all([page.waitForEvent('load'), page.locator('.row').nth(row).click()]);
    await page.getByRole('button', { name: /Done, next message/ }).waitFor();
  }
  assert.ok((await page.locator('.case-side').innerText()).includes(LONG_MAIL));
  await assertPageSoundEverywhere(page, 'an opened message');
  await openPage('/agents');
  await page.getByRole('link', { name: /Correspondence/ }).click();
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  await page.getByText('Reject', { exact: true }).click();
  await assertPageSoundEverywhere(page, 'an agent that asks to register');
  await openPage('/orders');
  await page.locator('summary', { hasText: 'Release' }).click();
  await assertPageSoundEverywhere(page, 'an order that is about to be released');
});

test('nothing of the top bar is cut off at 1024 and 1366 pixels', async () => {
  for (const width of [1024, 1366]) {
    await openPage('/orders', width);
    // Without the accessibility rules, which were checked when the page was first opened.
    await assertPageSound(page, `the top bar at ${width}`, []);
    const edges = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.top :is(a, button:not(.unseen), input:not([type=hidden]))')]
        .map((part) => part.getBoundingClientRect()).filter((part) => part.width > 0)
        .toSorted((one, other) => one.left - other.left)
        .flatMap((part) => [Math.ceil(part.left), Math.floor(part.right)])`,
    );
    assert.deepEqual(
      edges,
      edges.toSorted((one, other) => one - other),
      'one part covers another',
    );
    assert.ok(edges.at(-1)! <= width);
    await page.getByRole('button', { name: 'Keys' }).waitFor();
  }
});

test('by keyboard, a text goes on at its end, and the filter can be used and left', async () => {
  await openPage(`/cases/${planted.get(MAIN_CASE)!.id}`);
  await page.evaluate(`document.querySelector('#text').value = 'Dear Zoe, a line'`);
  await page.keyboard.press('r');
  await page.keyboard.type('!');
  assert.equal(await page.locator('#text').inputValue(), 'Dear Zoe, a line!');
  await page.keyboard.press('Escape');
  await page.evaluate(`document.querySelector('#text').setSelectionRange(0, 0)`);
  await page.locator('#text').click({ position: { x: 30, y: 20 } });
  assert.ok(
    (await page.evaluate<number>('document.activeElement.selectionEnd')) < 10,
    'where it was clicked',
  );
  await page.locator('#text').fill('');
  await openPage('/queue');
  await page.keyboard.press('x');
  assert.equal(await page.evaluate<string>('document.activeElement.id'), 'tier');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('details.filter[open]').count(), 0);
  assert.equal(new URL(page.url()).pathname, '/queue');
});

/** What is at the upper and lower edge of the focused field: the field, unless a bar or the window hides it. */
const FIND_AT_ITS_EDGES = `(({ left, top, bottom }) =>
  [top + 3, bottom - 3].map((y) => document.elementFromPoint(left + 9, y)?.id)
)(document.activeElement.getBoundingClientRect())`;

test('by keyboard, a finding is written at once, its files are a key away, and Deliver is a few tabs away', async () => {
  await openPage(`/cases/${planted.get(MAIN_CASE)!.id}`);
  const readFocused = () =>
    page.evaluate<string>('document.activeElement.id || document.activeElement.textContent');
  await page.keyboard.press('h');
  await waitUntil('the note that it needs has the focus', async () => (await readFocused()) === 'note');
  assert.deepEqual(await page.evaluate<(string | undefined)[]>(FIND_AT_ITS_EDGES), ['note', 'note']);
  await page.keyboard.press('Escape');
  await page.keyboard.press('d');
  await page.waitForURL(/finding$/);
  await waitUntil('the caret is in the text', async () => (await readFocused()) === 'markdown');
  await page.keyboard.type('It is she.');
  for (let tabs = 0; tabs < 4; tabs += 1) await page.keyboard.press('Tab');
  assert.match(await readFocused(), /^Deliver /);
  await page.keyboard.press('f');
  assert.equal(await readFocused(), 'file');
  await page.keyboard.press('Escape');
  await page.keyboard.press('d');
  assert.equal(await readFocused(), 'markdown');
});

test('Esc clears the search, and leads back from the log to the case that it was about, and to the queue', async () => {
  const { id } = planted.get(MAIN_CASE)!;
  await openPage(`/log?case=${id}`, 390);
  await page.keyboard.press('/');
  assert.equal(await page.evaluate<string>('document.activeElement.id'), 'find');
  await page.keyboard.type('amber');
  // As in a browser that does not clear the field by itself.
  await page.evaluate(
    "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))",
  );
  assert.equal(await page.locator('#find').inputValue(), '');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.waitForURL(`**/cases/${id}`);
  for (const name of ['log', 'people', 'contact']) {
    await openPage(`/${name}`);
    await page.keyboard.press('Escape');
    await page.waitForURL('**/queue');
  }
});

test('from a case Esc leads back to its row, and j on to the next', async () => {
  await openPage('/queue');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/cases/*');
  await page.keyboard.press('Escape');
  await page.waitForURL(/queue/);
  await page.keyboard.press('j');
  const third = await page.locator('.row').nth(2).getAttribute('id');
  assert.equal(await page.evaluate<string>('document.activeElement.id'), third);
});

test('where a finding is written, tabs follow what is seen, in each width', async () => {
  for (const width of [1366, 1100, 390]) {
    await openPage(`/cases/${planted.get(MAIN_CASE)!.id}/finding`, width);
    const places = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.source summary, #markdown, #file, .last button')]
        .map((part) => part.closest('.source, .editor, .attached, .last'))
        .map((part) => { const { left, top } = part.getBoundingClientRect(); return innerWidth < 1344 ? top : left; })`,
    );
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      `${width}`,
    );
  }
});

test('a case and its finding are printed as a transcript, with dates and without what is pressed', async () => {
  await openPage(`/cases/${planted.get(MAIN_CASE)!.id}`);
  const asked = (await readPrintedLines(page)).join('\n');
  assert.match(asked, /amber lantern\nAs of \d+ \w{3,4} 20\d\d, \d\d:\d\d UTC/);
  assert.match(asked, /Conversation\nThe desk[\s\S]*Which name[\s\S]*Robin[\s\S]*She wrote as Dana Reyes/);
  assert.doesNotMatch(
    asked,
    /Queue|Numbers|Lock|Reply|Write to|Book|Decline|IO-0000|reference|prepaid|Up to date|russet/,
  );
  await openPage(`/cases/${planted.get(DELIVERED_CASE)!.id}`);
  const delivered = (await readPrintedLines(page)).join('\n');
  assert.match(delivered, /She does not work there[\s\S]*What we checked[\s\S]*register-extract\.pdf/);
  await openPage(`/cases/${planted.get(MAIN_CASE)!.id}/finding`);
  await page.fill('#markdown', '# It is not her');
  await page.getByRole('button', { name: /Preview/ }).click();
  await page.locator('.paper h3').waitFor();
  const draft = await readPrintedLines(page);
  assert.match(draft.join('\n'), /a draft as of[\s\S]*It is not her$/);
});

test('a browser that looks for an icon gets the mark', async () => {
  const answer = await page.goto(`${window.origin}/favicon.ico`);
  assert.deepEqual([answer?.status(), answer?.headers()['content-type']], [200, 'image/svg+xml']);
});

test('without its script the desk shows its pages, sends nothing and says so', async () => {
  page = await enterWindow(1366, { javaScriptEnabled: false });
  for (const name of PAGES) {
    await openPage(`/${name.toLowerCase()}`);
    await page.getByRole('heading', { name, exact: true }).waitFor();
  }
  await page.getByText('The page cannot send anything without JavaScript').waitFor();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  await page.getByRole('button', { name: 'Lock' }).press('Enter');
  await openPage('/contact');
  assert.deepEqual(
    requests.filter((request) => !request.startsWith('GET')),
    [],
  );
});
