/** Staying in a case: opening it from the sent page, checking for news, closing it, and a page that closes itself. */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { applyCaseChange, updatePurgeTime } from '#cases/states.ts';
import { english } from '#language/languages.ts';
import { generateWords } from '#seal/core/words.ts';
import { openPlainCase } from '#test/cases/plain-form.ts';
import { findCaseByWords } from '#test/cases/stored-case.ts';
import { waitUntil } from '#test/patience.ts';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { type BrowserBuyer, canaryInquiry, openBuyerTests } from '../buyer.ts';
import { askFromDesk, deliverFindingFromDesk } from '../desk-side.ts';
import { assertPageSound, assertPageSoundEverywhere } from '../page-checks.ts';

const shop = await shareTestShop();
const { createBuyer, prepare, test } = await openBuyerTests(shop);

const MINUTE_MS = 60_000;

/** The words of a case in which no test writes. */
let quietWords = '';
prepare(async () => {
  quietWords = await openPlainCase(shop);
});

/** Opens the case with a clock that the test can move, and that also runs. Counts how often the page asks for news. */
async function openWatchedCase(buyer: BrowserBuyer, words?: string) {
  const { page } = buyer;
  const looks = { count: 0 };
  page.on('request', (request) => {
    if (request.url().endsWith('/case/sealed/news')) looks.count += 1;
  });
  await page.addInitScript(countWorkerMessages);
  await page.clock.install();
  await buyer.openCase(words ?? quietWords);
  return { page, complaints: buyer.complaints, looks };
}

/** Runs in the page. */
function countWorkerMessages(): void {
  const scope = globalThis as unknown as { Worker: typeof EventTarget; heard: number };
  scope.heard = 0;
  const { Worker: Original } = scope;
  scope.Worker = class extends Original {
    constructor(...args: []) {
      super(...args);
      this.addEventListener('message', () => {
        scope.heard += 1;
      });
    }
  };
}

test('from the sent page the case opens without typing, and the words leave the browser nowhere', async (_buyer, t) => {
  const buyer = await createBuyer(t, { timezoneId: 'Asia/Tokyo' });
  const { page, complaints } = buyer;
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')));
  const words = await buyer.sendPaidForm('Trace');
  assert.match(await page.locator('main time').first().innerText(), /GMT\+9 \(\d\d:\d\d UTC\)$/);
  const link = page.getByRole('link', { name: 'Go to my case' });
  await page.route('**/case', (route) => route.abort());
  await link.click();
  await page.getByRole('status').filter({ hasText: 'We can’t be reached.' }).waitFor();
  assert.equal(await page.locator('.words li').count(), 12, 'the words are still there');
  await page.unroute('**/case');
  await link.click();
  await buyer.waitForTitle('We have your question');
  assert.ok(await page.getByText(canaryInquiry.question).isVisible());
  assert.equal(page.url(), `${shop.origin}/case`);
  assert.equal(await page.title(), 'Your case - Inquiry Office');
  assert.ok(!sent.some((text) => text.includes(words) || text.includes(words.replaceAll(' ', '+'))));
  assert.ok(!(await page.content()).includes(words));
  await buyer.write('One more thing.');
  await assertPageSound(page, 'the case after the sent page');
  await buyer.openPart(english['practice.title']);
  const practice = page.locator('#practice');
  await practice.locator('textarea').fill(`${words} abandon`);
  await practice.locator('button').click();
  await page.locator('#words-error').waitFor();
  await practice.locator('textarea').fill(generateWords());
  await practice.locator('button').click();
  await page.getByRole('status').filter({ hasText: english['practice.wrong'] }).waitFor();
  await practice.locator('textarea').fill(words.toUpperCase());
  await practice.locator('button').click();
  await page.getByRole('status').filter({ hasText: english['practice.right'] }).waitFor();
  assert.equal(await practice.locator('textarea').inputValue(), '', 'they do not stay on the page');
  await assertPageSound(page, 'the words that were practised');
  await page.goBack();
  await page.getByRole('status').filter({ hasText: english['lock.closed'] }).waitFor();
  await buyer.waitForTitle('Return to your case');
  await page.reload();
  await buyer.waitForTitle('Return to your case');
  assert.equal(await page.inputValue('#words'), '');
  assert.deepEqual(
    complaints.filter((text) => !text.includes('ERR_FAILED')),
    [],
  );
});

test('news come once a minute while the page is seen: announced, without moving focus or losing text', async (buyer) => {
  const words = await openPlainCase(shop);
  const { page, looks } = await openWatchedCase(buyer, words);
  await page.fill('#message', 'I was just writing');
  await askFromDesk(shop, words, 'Which name did she use?');
  const [answer] = await Promise.all([
    page.waitForResponse('**/case/sealed/news'),
    page.clock.runFor(MINUTE_MS + 5_000),
  ]);
  await page.locator('[data-slot=fresh]', { hasText: english['look.message'] }).waitFor();
  const { objects } = (await answer.json()) as { objects: unknown[] };
  assert.equal(objects.length, 1, 'only what is new is fetched');
  assert.equal(await page.locator('[data-slot=fresh]').getAttribute('role'), 'status');
  assert.equal(await page.locator('h1').innerText(), 'We have a question for you');
  assert.equal(await page.locator('.entry .said').innerText(), 'Which name did she use?');
  assert.equal(await page.evaluate('document.activeElement.id'), 'message');
  assert.equal(await page.inputValue('#message'), 'I was just writing');
  assert.match(await page.locator('[data-slot=looked]').innerText(), /^Last checked at \d+:\d\d\s[AP]M\.$/);
  await page.evaluate(`document.querySelector('.entry').id = 'kept'`);
  await askFromDesk(shop, words, 'And when?');
  await page.getByRole('button', { name: 'Check for updates' }).click();
  await page.locator('.entry').nth(1).waitFor();
  assert.equal(await page.locator('#kept').count(), 1, 'what was shown before is left alone');
  await page.getByRole('button', { name: 'Check for updates' }).click();
  await page.locator('[data-slot=fresh]', { hasText: english['look.nothing'] }).waitFor();
  const before = looks.count;
  await setHidden(page, true);
  await page.clock.runFor(3 * MINUTE_MS);
  assert.equal(looks.count, before, 'the page is hidden, so nothing is asked');
  await Promise.all([page.waitForResponse('**/case/sealed/news'), setHidden(page, false)]);
  await deliverFindingFromDesk(shop, words, '# She is Ann', []);
  await Promise.all([page.waitForResponse('**/case/sealed/news'), page.clock.runFor(MINUTE_MS + 5_000)]);
  await page.locator('[data-slot=fresh]', { hasText: english['look.answer'] }).waitFor();
  assert.equal(await page.locator('.paper h3').innerText(), 'She is Ann');
  await assertPageSoundEverywhere(page, 'the case with news');
});

test('while a message is sent, its form stays as it is, and the page does not claim to have looked for news', async (buyer) => {
  const words = await openPlainCase(shop);
  const { page } = await openWatchedCase(buyer, words);
  const release = await buyer.holdRequests('**/case/sealed/message');
  await page.fill('#message', 'One more thing.');
  await page.locator('#write button').click();
  await page.locator('#message').focus();
  await page.keyboard.type(' And another.');
  assert.equal(await page.inputValue('#message'), 'One more thing.');
  assert.ok(await page.locator('#files').isDisabled());
  await page.getByRole('button', { name: 'Check for updates' }).click();
  assert.equal(await page.locator('[data-slot=fresh]').innerText(), '');
  assert.equal(await page.locator('[data-slot=looked]').innerText(), '');
  await page.locator('#call').dispatchEvent('input');
  release();
  await page.getByText('Your message was sent.').waitFor();
  assert.equal(await page.inputValue('#message'), '');
  assert.ok(await page.locator('#message').isEditable());
  assert.ok(await page.locator('#files').isEnabled());
  const leaves = `dispatchEvent(new Event('beforeunload', { cancelable: true }))`;
  assert.ok(!(await page.evaluate(leaves)), 'times for a call are typed and not sent');
});

if (isLongRun)
  test('what another tab changes about the language is no news', async (buyer) => {
    const { page } = await openWatchedCase(buyer);
    await page.context().setExtraHTTPHeaders({ 'accept-language': 'es' });
    await page.getByRole('button', { name: 'Check for updates' }).click();
    await page.locator('[data-slot=fresh]', { hasText: english['look.nothing'] }).waitFor();
  });

if (isLongRun)
  test('while looking fails, the page asks less and less often, and says nothing by itself', async (buyer) => {
    const { page, looks } = await openWatchedCase(buyer);
    // Pauses the clock before the page checks for news by itself, however slow the machine is.
    await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + MINUTE_MS / 2);
    await buyer.refuseRequests('**/case/sealed/news', 429, 'rate_limited');
    for (const expected of [1, 1, 2, 2, 2, 2, 3]) {
      const before = { looks: looks.count, heard: await page.evaluate('heard') };
      await page.clock.runFor(MINUTE_MS + 5_000);
      if (expected > before.looks)
        await waitUntil(
          'the page has the answer',
          async () => (await page.evaluate('heard')) !== before.heard,
        );
      assert.equal(looks.count, expected);
      // Shows that the buyer is present.
      await page.mouse.move(10, 10 + looks.count);
    }
    assert.equal(await page.locator('[data-slot=fresh]').innerText(), '');
    await page.getByRole('button', { name: 'Check for updates' }).click();
    await page.locator('[data-slot=fresh]', { hasText: english['problem.rate_limited'] }).waitFor();
  });

test('a case that is closed leaves nothing on the page, and opens again with its words', async (buyer) => {
  const { page, complaints, looks } = await openWatchedCase(buyer);
  await page.fill('#message', 'unsent-canary');
  assert.ok(await page.locator('#languages').isHidden());
  const asked: string[] = [];
  page.on('dialog', async (dialog) => {
    asked.push(dialog.message());
    await (asked.length === 1 ? dialog.dismiss() : dialog.accept());
  });
  const close = page.getByRole('button', { name: 'Close my case' });
  await close.click();
  assert.deepEqual(asked, [english['lock.unsent']], 'it asks before the text is lost');
  assert.equal(await page.inputValue('#message'), 'unsent-canary');
  await close.click();
  assert.deepEqual(asked, [english['lock.unsent'], english['lock.unsent']]);
  assert.ok(!(await page.locator('[data-when=server]').isVisible()), 'where the words go is not known yet');
  await page.getByRole('status').filter({ hasText: english['lock.closed'] }).waitFor();
  await assertClosed(page);
  assert.ok(await page.locator('#languages').isVisible());
  await waitUntil('no worker is left before words are typed', () => page.workers().length === 0);
  await page.clock.runFor(5 * MINUTE_MS);
  assert.equal(looks.count, 0);
  await assertPageSoundEverywhere(page, 'the closed case');
  await page.fill('#words', quietWords);
  await page.click('#send');
  await buyer.waitForTitle('We have your question');
  assert.deepEqual(complaints, []);
});

test('after 14 minutes without activity the page warns, after 15 the case is closed', async (buyer) => {
  const { page, complaints } = await openWatchedCase(buyer);
  await page.fill('#message', 'unsent-canary');
  await page.clock.runFor(14 * MINUTE_MS + 5_000);
  await page.getByRole('alert').filter({ hasText: english['lock.warning'] }).waitFor();
  await assertPageSoundEverywhere(page, 'the case that is about to close');
  await page.getByRole('button', { name: 'Keep it open' }).click();
  assert.ok(await page.locator('[data-part=idle]').isHidden());
  assert.equal(await page.inputValue('#message'), 'unsent-canary');
  await page.clock.runFor(13 * MINUTE_MS);
  await page.keyboard.press('Shift');
  await page.clock.runFor(13 * MINUTE_MS);
  await buyer.waitForTitle('We have your question');
  await page.clock.runFor(2 * MINUTE_MS + 5_000);
  const status = page.getByRole('status').filter({ hasText: 'nothing happened here for 15 minutes' });
  await status.filter({ hasText: english['lock.lost'] }).waitFor();
  await assertClosed(page);
  assert.deepEqual(complaints, []);
});

test('a phone that slept for longer finds the case closed by the first touch', async (buyer) => {
  const { page } = await openWatchedCase(buyer);
  // Timers do not run during this jump.
  await page.clock.pauseAt(Date.now() + 24 * 60 * MINUTE_MS);
  await page.mouse.move(20, 20);
  await buyer.waitForTitle('Return to your case');
  await assertClosed(page);
});

test('a case that is deleted while its page looks for news is gone from the page', async (buyer) => {
  const words = await openPlainCase(shop);
  const { page } = await openWatchedCase(buyer, words);
  await deliverFindingFromDesk(shop, words, '# She is Ann', []);
  const { id = '' } = (await findCaseByWords(shop, words)) ?? {};
  await applyCaseChange(shop.services, id, (records, record) =>
    updatePurgeTime(records, record, shop.services.clock.now(), shop.services.clock.now()),
  );
  await purgeCaseNow(shop.services, id).catch(() => undefined);
  await page.getByRole('button', { name: 'Check for updates' }).click();
  await buyer.waitForTitle('This case was deleted');
});

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`{
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
}

async function assertClosed(page: Page): Promise<void> {
  const left = await page.evaluate<string>(
    `document.body.innerText + [...document.querySelectorAll('input, textarea')].map(({ value }) => value)`,
  );
  for (const secret of ['unsent-canary', 'What you sent', 'We have your question'])
    assert.ok(!left.includes(secret), secret);
  assert.equal(await page.inputValue('#words'), '');
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
  assert.equal(await page.title(), 'Return to your case - Inquiry Office');
}
