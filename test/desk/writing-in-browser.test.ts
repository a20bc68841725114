/** Writing in a case in a browser: texts restored, refusals shown, sending off without the office, declines undone. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { HOUR_MS } from '#platform/durations.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { insertPlantedCase, PLANTED_INQUIRY, type PlantedCase } from '#test/desk-api/planted-case.ts';
import { openBrowserPage, openBrowserTests } from '#test/flows/browser.ts';
import { assertPageSoundEverywhere } from '#test/flows/page-checks.ts';
import { waitUntil } from '#test/patience.ts';
import { nameCase } from '#wire/case-name.ts';
import { connectConfirmedDesk, connectDesk, startServedPages } from './connected-desk.ts';
import { type DeskWindow, startDeskWindow } from './desk-window.ts';

const FIRST = 'pDtv2eGUQgcgaaaaaaaaaa';
const SECOND = 'Q1aaaaaaaaaaaaaaaaaaaa';
const UNREAD = 'Q2aaaaaaaaaaaaaaaaaaaa';
const FOREIGN = 'Q3aaaaaaaaaaaaaaaaaaaa';
const TAKEN = 'Q4aaaaaaaaaaaaaaaaaaaa';
const MESSAGES = 17;

const cleanup = withReverseCleanup({ after });
const { browser, prepare, test } = await openBrowserTests();
const { office, service, line, answer } = await startServedPages(cleanup);
let first: PlantedCase;
let window: DeskWindow;
let page: Page;

prepare(async () => {
  const own = { assignee: office.holder, state: 'in_progress' } as const;
  first = await insertPlantedCase(service, { ...own, id: FIRST });
  await insertPlantedCase(service, { ...own, id: SECOND });
  for (let count = 0; count < MESSAGES; count += 1)
    await answer(first, `They wrote again, the ${count + 1}th time, and asked for money.`);
  window = await startDeskWindow(cleanup, office);
  page = await openBrowserPage(cleanup, browser, 1366);
  await page.setViewportSize({ width: 1366, height: 768 });
  await window.enter(page);
});

async function openCase(id: string): Promise<void> {
  await page.goto(`${window.origin}/cases/${id}`);
  await page.locator('.case h1').waitFor();
}

const getFocusedId = () => page.evaluate<string>('document.activeElement.id');

async function isInSight(selector: string, shown = page): Promise<boolean> {
  const box = await shown.locator(selector).first().boundingBox();
  const { height = 0 } = shown.viewportSize() ?? {};
  return box !== null && box.y >= 0 && box.y + Math.min(box.height, 60) <= height;
}

/** The browser scrolls to a new page's focused field once it has drawn the page. */
async function waitUntilInSight(selectors: string[], shown = page): Promise<void> {
  for (const selector of selectors)
    await waitUntil(`${selector} is in sight`, () => isInSight(selector, shown));
}

/** The box does not touch what is before and after it. */
async function assertApart(selector: string): Promise<void> {
  const gaps = await page.evaluate<number[]>(
    `((box, at = (part) => part.getBoundingClientRect()) => [
      at(box).top - at(box.previousElementSibling).bottom,
      ...(box.nextElementSibling ? [at(box.nextElementSibling).top - at(box).bottom] : []),
    ])(document.querySelector('${selector}'))`,
  );
  assert.ok(Math.min(...gaps) >= 8, `the box is ${gaps.join(' and ')} pixels from what is around it`);
}

test('what was typed a moment before another case was opened is there again, and its row says so', async () => {
  await openCase(FIRST);
  await page.keyboard.press('r');
  await page.keyboard.type('Which name did they use');
  await page.keyboard.press('Escape');
  await page.keyboard.press('m');
  await page.keyboard.type('Prepaid number');
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  await page.waitForURL(`**/cases/${SECOND}`);
  assert.match(await page.locator(`#case-${FIRST}`).innerText(), /Draft/);
  await page.goBack();
  await page.waitForURL(`**/cases/${FIRST}#text`);
  assert.equal(await page.inputValue('#text'), 'Which name did they use');
  assert.equal(await page.inputValue('#note'), 'Prepaid number');
  assert.match(await page.locator('[data-saved=reply]').innerText(), /^saved \d\d:\d\d$/);
});

test('in a long conversation keys lead to what they name, with all that belongs to it in sight', async () => {
  for (const width of [1366, 390]) {
    await page.setViewportSize({ width, height: 768 });
    await openCase(FIRST);
    const inquiry = page.locator('.inquiry');
    const isOpen = async () => (await inquiry.getAttribute('open')) !== null;
    await page.evaluate("document.querySelector('.inquiry').open = true");
    await page.keyboard.press('r');
    await waitUntilInSight(['[for=text]', '#text', '#reply button']);
    await page.keyboard.press('Escape');
    await page.keyboard.press('i');
    assert.deepEqual(
      [await isOpen(), await isInSight('.inquiry summary')],
      [true, true],
      'into sight, not shut',
    );
    await page.keyboard.press('i');
    assert.deepEqual([await isOpen(), await isInSight('.inquiry summary')], [false, true]);
    await page.keyboard.press('h');
    assert.equal(await getFocusedId(), 'note');
    await waitUntilInSight(['#note', '#hand-to']);
    await page.keyboard.press('Escape');
  }
  await page.setViewportSize({ width: 1366, height: 768 });
});

test('the people are confirmed by Ctrl+Enter on their own page, and nowhere else', async () => {
  const { session } = office;
  const confirmed: string[][] = [];
  const confirmPeople = office.confirmPeople.bind(office);
  office.confirmPeople = async (people) => {
    confirmed.push([...people]);
    Object.assign(session!, { peopleChange: null });
  };
  const peopleChange = { came: [session!.people[1]], went: [], changed: [], recovery: null, isFirst: true };
  Object.assign(session!, { peopleChange });
  await openCase(FIRST);
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('5');
  await page.getByRole('heading', { name: 'People', exact: true }).waitFor();
  assert.deepEqual(confirmed, []);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  await page.getByText('notes are sealed to the people you confirmed').waitFor();
  assert.equal(confirmed.length, 1);
  office.confirmPeople = confirmPeople;
});

test('the first note of a new colleague is refused in sight, and is in its field once the people are confirmed', async () => {
  const unconfirmed = await connectDesk(cleanup, service, service.keys.Sam);
  await unconfirmed.signIn();
  const { origin, enter } = await startDeskWindow(cleanup, unconfirmed);
  const shown = await openBrowserPage(cleanup, browser, 1366);
  await shown.setViewportSize({ width: 1366, height: 768 });
  await enter(shown);
  await shown.goto(`${origin}/cases/${FIRST}`);
  await shown.keyboard.press('m');
  await shown.keyboard.type('I know her.');
  await shown.keyboard.press('Control+Enter');
  await shown.locator('.refused', { hasText: 'Not added' }).waitFor();
  await waitUntilInSight(['.refused', '#note'], shown);
  await shown.getByRole('button', { name: 'Confirm' }).click();
  await shown.waitForURL(`${origin}/cases/${FIRST}`);
  assert.equal(await shown.inputValue('#note'), 'I know her.');
});

test('a long conversation with a new answer opens at what is new, from the list', async () => {
  await openCase(FIRST);
  await answer(first, 'They called me, too.');
  await page.goto(`${window.origin}/queue`);
  await page.locator(`#case-${FIRST}`).click();
  await page.waitForURL(`**/cases/${FIRST}*`);
  await page.locator('.case h1').waitFor();
  await waitUntilInSight(['.since']);
});

test('a refused reply in a long conversation is in sight: strip, title, reason and field', async () => {
  await openCase(FIRST);
  await answer(first, 'Stop, it was my cousin.');
  await page.keyboard.press('r');
  await page.keyboard.press('Control+Enter');
  await page.locator('.refused').waitFor();
  assert.match(await page.title(), /^Not sent · Desk/);
  assert.equal(await getFocusedId(), 'text');
  await waitUntilInSight(['.refused', '#text', '.changed']);
  assert.equal(await page.inputValue('#text'), 'Which name did they use');
  await assertApart('.changed');
  await assertPageSoundEverywhere(page, 'a reply that was not sent');
});

test('while the office is away sending is off with its reason, and comes back with the office', async () => {
  await page.setViewportSize({ width: 1366, height: 768 });
  await openCase(FIRST);
  line.isDown = true;
  await Promise.all([page.waitForEvent('load'), page.getByRole('link', { name: /Up to date/ }).click()]);
  const send = page.getByRole('button', { name: 'Send, no answer needed' });
  await page.locator('.reply [data-away]').waitFor();
  assert.ok(await send.isDisabled());
  assert.equal(await page.inputValue('#text'), 'Which name did they use');
  await page.fill('#text', 'Which name did they use, and when?');
  await page.locator('[data-saved=reply]', { hasText: /^saved/ }).waitFor();
  await assertPageSoundEverywhere(page, 'a case while the office is away');
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.getByRole('link', { name: 'Try now' }).click();
  await page.waitForURL(`**/cases/${FIRST}`);
  assert.equal(await page.inputValue('#text'), 'Which name did they use, and when?');
  await page.goto(`${window.origin}/queue`);
  await page.locator(`#case-${FIRST}`).waitFor();
  await openCase(FIRST);
  await page.locator('.reply [data-away]').waitFor();
  line.isDown = false;
  await page.locator('.reply [data-away]').waitFor({ state: 'hidden' });
  await send.click();
  await page.getByText('Sent.').waitFor();
  assert.equal(await page.inputValue('#text'), '');
  assert.deepEqual(line.sent, ['message']);
});

test('a queue that stays open says that a buyer has answered, and a key press shows which', async () => {
  await page.goto(`${window.origin}/queue`);
  const title = await page.title();
  await answer(first, 'They called my bank.');
  await page.getByRole('link', { name: '1 new, press .' }).waitFor();
  assert.equal(await page.title(), `+1 new · ${title}`);
  const row = page.locator(`#case-${FIRST}`);
  assert.doesNotMatch(await row.innerText(), /New answer/, 'nothing moves by itself');
  await page.keyboard.press('.');
  await row.getByText('New answer').waitFor();
});

test('a decline is on hold with the refund beside it, the next case stays unread and is found by name, and u takes the decline back', async () => {
  await insertPlantedCase(service, { id: UNREAD, due_at: Date.now() + HOUR_MS });
  await openCase(SECOND);
  await page.locator('.ending summary', { hasText: 'Decline' }).click();
  await page.fill('#decline-text', 'We do not trace people.');
  await page.locator('#decline-text').press('Control+Enter');
  await page.waitForURL(`**/cases/${UNREAD}/closed`);
  const strip = await page.locator('.notice', { hasText: 'is declined' }).innerText();
  assert.ok(
    strip.includes(`refund the payment at the provider: reference ${PLANTED_INQUIRY.payment_ref}`),
    strip,
  );
  assert.match(await page.locator(`#case-${UNREAD}`).innerText(), /New case/);
  await page.keyboard.press('/');
  await page.keyboard.type(nameCase(UNREAD));
  await page.keyboard.press('Enter');
  await page.waitForURL('**/search');
  await page.locator(`a.row[href="/cases/${UNREAD}"]`).waitFor();
  await page.keyboard.press('u');
  await page.waitForURL(`**/cases/${SECOND}#decline-text`);
  assert.equal(await page.inputValue('#decline-text'), 'We do not trace people.');
});

test('in a case whose inquiry does not open, a box that touches nothing says why nothing can be written', async () => {
  await insertPlantedCase(service, { id: FOREIGN });
  const { records } = service.store;
  const inquiry = records.updateTable('objects').where('case_id', '=', FOREIGN);
  await inquiry
    .set({ bytes: Buffer.alloc(500) })
    .where('kind', '=', 'inquiry.v1')
    .execute();
  await page.setViewportSize({ width: 1366, height: 768 });
  await openCase(FOREIGN);
  await page.locator('.problems', { hasText: 'You cannot write in this case' }).waitFor();
  await assertApart('.problems');
});

test('a reply is refused in sight, and shown, if a colleague has taken the case over meanwhile', async () => {
  await insertPlantedCase(service, { id: TAKEN, assignee: office.holder, state: 'in_progress' });
  await openCase(TAKEN);
  await page.keyboard.press('r');
  await page.keyboard.type('Which name did they use?');
  const kim = await connectConfirmedDesk(cleanup, service, service.keys.Kim);
  await kim.act(TAKEN, 'take_over');
  await page.keyboard.press('Control+Enter');
  await page.locator('.refused', { hasText: /^Not sent\. .*Your text is kept\.$/ }).waitFor();
  await waitUntilInSight(['.refused']);
  assert.match(await page.title(), /^Not sent · Desk/);
  assert.equal(await page.inputValue('#kept-reply'), 'Which name did they use?');
});
