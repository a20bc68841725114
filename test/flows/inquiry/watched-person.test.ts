/** The whole way of a buyer who may be watched, on a phone: each page can be left at once, and found again. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { english } from '#language/languages.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { RETURN_LINK_MINUTES } from '#platform/expiry.ts';
import { createCallTimes } from '#test/cases/call-times.ts';
import { findCaseByWords } from '#test/cases/stored-case.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { createDeskCli } from '#test/cli/desk-cli.ts';
import { waitUntil } from '#test/patience.ts';
import { startTestShop } from '#test/test-shop.ts';
import { openBrowserTests } from '../browser.ts';
import {
  type BrowserBuyer,
  buyInBrowser,
  canaryInquiry,
  clickSend,
  confirmShownWords,
  createBrowserBuyer,
  fillAskedWords,
  fillInquiryForm,
  openCaseInBrowser,
  openPart,
  readShownWords,
  waitForOpenCase,
} from '../buyer.ts';
import { askFromDesk, deliverFindingFromDesk, readMessagesAtDesk } from '../desk-side.ts';
import { readPrintedLines } from '../printed-page.ts';
import { receiveReturnLink } from '../return-link-mail.ts';

const { browser, test } = await openBrowserTests();

const time = { offset: 0 };
const shop = await startTestShop({ after }, { clock: { now: () => Date.now() + time.offset } });
const desk = createDeskCli(shop);
const callTimes = createCallTimes();
const EXIT = 'https://www.wikipedia.org/';
const QUESTION = 'Which name did she use with you?';
const ANSWER = 'She called herself Ann.';
const FINDING = '# She is who she says she is\n\nThe company knows her.';
const proof = { name: 'register.txt', mime: 'text/plain', content: Buffer.from('Entry of 2019') };

for (const javaScriptEnabled of [true, false])
  test(`a buyer who is watched pays, leaves, comes back and ends the case, ${javaScriptEnabled ? 'with' : 'without'} a script`, async (t) => {
    const link = await payAndLeave(t, javaScriptEnabled);
    const words = javaScriptEnabled ? await sendWithScript(t, link) : await sendWithoutScript(t, link);
    await answerQuestion(t, words, javaScriptEnabled);
    await bookCall(words);
    await lookAtCall(t, words, javaScriptEnabled);
    await readFindingAndDelete(t, words, javaScriptEnabled);
    for (const secret of [words, canaryInquiry.question, ANSWER, 'The company knows her'])
      assert.ok(!shop.readLog().includes(secret), secret);
  });

/** A new browser each time: nothing of an earlier visit is left on the device. */
async function openNewBrowser(t: CleanupScope, javaScriptEnabled: boolean): Promise<BrowserBuyer> {
  const buyer = await createBrowserBuyer(t, browser, { javaScriptEnabled });
  await buyer.page.route(`${EXIT}**`, (route) => route.fulfill({ body: 'Elsewhere' }));
  return buyer;
}

/** By the button that is on the screen, however far the page is scrolled. */
async function leave({ page, complaints }: BrowserBuyer): Promise<void> {
  await page.mouse.wheel(0, 20_000);
  const exit = page.getByRole('link', { name: 'Leave this page' });
  const box = await exit.boundingBox();
  assert.ok(box && box.y >= 0 && box.y < 780 && box.height >= 44, JSON.stringify(box));
  await exit.click();
  await page.waitForURL(EXIT);
  assert.deepEqual(complaints, []);
  await page.context().close();
}

async function payAndLeave(t: CleanupScope, javaScriptEnabled: boolean): Promise<string> {
  const buyer = await openNewBrowser(t, javaScriptEnabled);
  await buyInBrowser(buyer, shop, 'Dossier');
  await buyer.page.getByText('Payment received').waitFor();
  await leave(buyer);
  time.offset += RETURN_LINK_MINUTES * MINUTE_MS;
  return await receiveReturnLink(shop);
}

async function openFormByLink({ page }: BrowserBuyer, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Open my form' }).click();
  await page.waitForURL(`${shop.origin}/inquiry`);
}

/** What was typed, and the words, come back after a reload, because it was asked for. */
async function sendWithScript(t: CleanupScope, link: string): Promise<string> {
  const buyer = await openNewBrowser(t, true);
  const { page } = buyer;
  await openFormByLink(buyer, link);
  const words = await confirmShownWords(buyer);
  await fillInquiryForm(buyer);
  await page.getByLabel('Keep what I type if this page reloads').check();
  await waitUntil('a draft is kept', () => page.evaluate(`sessionStorage.getItem('draft') !== null`));
  await page.reload();
  await page.getByText('We brought back what you typed.').waitFor();
  assert.equal(await readShownWords(page), words);
  assert.equal(await page.inputValue('#question'), canaryInquiry.question);
  assert.deepEqual(await readPrintedLines(page), words.split(' '));
  await clickSend(buyer);
  await waitForOpenCase(buyer);
  assert.deepEqual(await readPrintedLines(page), words.split(' '));
  await leave(buyer);
  return words;
}

/** Nothing is kept over a reload, and the page has said so before. */
async function sendWithoutScript(t: CleanupScope, link: string): Promise<string> {
  const buyer = await openNewBrowser(t, false);
  const { page } = buyer;
  await openFormByLink(buyer, link);
  await page.getByText('Our script isn’t running in your browser.').waitFor();
  await page.getByText('If this page is loaded again before you send the form, you get new words').waitFor();
  const previous = await readShownWords(page);
  await page.fill('#question', canaryInquiry.question);
  await page.reload();
  const words = await readShownWords(page);
  assert.notEqual(words, previous);
  for (const name of ['Copy the words', 'Hide the words'])
    assert.equal(await page.getByRole('button', { name }).count(), 0, `${name} needs a script`);
  await fillInquiryForm(buyer);
  await fillAskedWords(page, words);
  assert.deepEqual(await readPrintedLines(page), words.split(' '));
  await clickSend(buyer);
  await waitForOpenCase(buyer);
  assert.deepEqual(await readPrintedLines(page), words.split(' '));
  await leave(buyer);
  return words;
}

async function returnToCase(
  t: CleanupScope,
  words: string,
  javaScriptEnabled: boolean,
): Promise<BrowserBuyer> {
  const buyer = await openNewBrowser(t, javaScriptEnabled);
  const { page } = buyer;
  if (javaScriptEnabled) await openCaseInBrowser(buyer, shop, words);
  else {
    await page.goto(`${shop.origin}/case`);
    await page.fill('#words', words);
    await page.click('#send');
  }
  await page.getByRole('heading', { name: 'What you sent' }).waitFor();
  return buyer;
}

async function answerQuestion(t: CleanupScope, words: string, javaScriptEnabled: boolean): Promise<void> {
  await askFromDesk(shop, words, QUESTION);
  const buyer = await returnToCase(t, words, javaScriptEnabled);
  const { page } = buyer;
  await page.getByRole('heading', { level: 1, name: 'We have a question for you' }).waitFor();
  await page.getByText(QUESTION).waitFor();
  await page.fill('#message', ANSWER);
  await page.locator('#write button[type=submit]').click();
  await page.getByText('Your message was sent.').waitFor();
  assert.equal((await readMessagesAtDesk(shop, words)).at(-1), ANSWER);
  await openPart(page, 'Your call');
  for (const [name, value] of Object.entries(callTimes.fields)) await page.fill(`#${name}`, value);
  await page.getByRole('button', { name: 'Send these times' }).click();
  await page.getByText('Your times were sent.').first().waitFor();
  await leave(buyer);
}

/** The desk takes the first hour that was offered. */
async function bookCall(words: string): Promise<void> {
  const { id = '' } = (await findCaseByWords(shop, words)) ?? {};
  const at = `${callTimes.day}T14:30+05:30`;
  // A command signs in by the clock of this machine.
  const { offset } = time;
  time.offset = 0;
  await desk.runForText('cases', 'call', id, 'book', '--at', at, '--seen', '2');
  time.offset = offset;
}

/** Where no script can make a calendar file, the page says so. */
async function lookAtCall(t: CleanupScope, words: string, javaScriptEnabled: boolean): Promise<void> {
  const buyer = await returnToCase(t, words, javaScriptEnabled);
  const { page } = buyer;
  const call = page.locator('[data-part=call]');
  assert.match(await call.locator('time').first().innerText(), /09:00/);
  assert.match(await call.innerText(), /Number we’ll call\s+\+44 20 7946 0000/);
  if (javaScriptEnabled) {
    const [entry] = await Promise.all([
      page.waitForEvent('download'),
      call.getByRole('button', { name: 'Save to your calendar' }).click(),
    ]);
    assert.equal(entry.suggestedFilename(), 'appointment.ics');
  } else await call.getByText(english['case.call.calendar.none']).waitFor();
  await leave(buyer);
}

/** In one file with a neutral name; where no script can make one, the page says so. */
async function saveEverything({ page }: BrowserBuyer, javaScriptEnabled: boolean): Promise<void> {
  await openPart(page, english['copy.all']);
  if (!javaScriptEnabled) return await page.getByText(english['copy.plain']).waitFor();
  const [archive] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: english['copy.all.act'] }).click(),
  ]);
  assert.equal(archive.suggestedFilename(), `${english['copy.name']}.zip`);
}

async function readFindingAndDelete(
  t: CleanupScope,
  words: string,
  javaScriptEnabled: boolean,
): Promise<void> {
  await deliverFindingFromDesk(shop, words, FINDING, [proof]);
  const buyer = await returnToCase(t, words, javaScriptEnabled);
  const { page } = buyer;
  await page.getByRole('heading', { level: 1, name: 'Your answer is here' }).waitFor();
  assert.match(await page.locator('.paper').innerText(), /The company knows her\./);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save register.txt, 13 bytes' }).click(),
  ]);
  assert.equal(saved.suggestedFilename(), proof.name);
  await saveEverything(buyer, javaScriptEnabled);
  await openPart(page, 'Delete this case');
  await page.locator('#purge input:visible').fill('DELETE');
  await page.locator('#purge button').click();
  await page.getByRole('heading', { level: 1, name: 'Everything was deleted' }).waitFor();
  assert.equal(await findCaseByWords(shop, words), undefined);
  await page.context().close();
}
