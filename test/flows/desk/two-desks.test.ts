/** Two investigators at once on one case, each with a desk of their own; then one of them is removed. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { createTeamMember, type TeamMember, writeTeamSettings } from '#test/cli/desk-team.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { startTestShop } from '#test/test-shop.ts';
import { openBrowserPage, openBrowserTests } from '../browser.ts';
import {
  type BrowserBuyer,
  canaryInquiry,
  createBrowserBuyer,
  openCaseInBrowser,
  sendPaidInquiry,
} from '../buyer.ts';
import { enterDeskProgram, pressDeskKey, startDeskProgram } from '../desk-program.ts';

const { browser, prepare, test } = await openBrowserTests();
const scope = withReverseCleanup({ after });
const folder = await createTemporaryFolder(scope);
const [ada, sam] = await Promise.all([createTeamMember(folder, 'Ada'), createTeamMember(folder, 'Sam')]);
const dataDir = await createDataFolder(scope);
const { RECOVERY_RECIPIENT: recovery = '' } = await readRecipientSettings(dataDir);
const team = await writeTeamSettings(folder, [ada, sam], recovery);
const shop = await startTestShop(scope, { env: { DATA_DIR: dataDir, ...team } });
let buyer: BrowserBuyer;
let words: string;
let pages: { readonly ada: Page; readonly sam: Page };

prepare(async () => {
  buyer = await createBrowserBuyer(scope, browser);
  words = await sendPaidInquiry(buyer, shop, 'Trace');
  pages = { ada: await enterOwnDesk(ada), sam: await enterOwnDesk(sam) };
});

async function enterOwnDesk({ keyFile }: TeamMember): Promise<Page> {
  const certificate = join(dataDir, 'tls', 'localhost.crt');
  const args = [shop.origin, '--key', keyFile, '--ca', certificate];
  const program = await startDeskProgram(scope, shop, args);
  const page = await openBrowserPage(scope, browser, 1366);
  await enterDeskProgram(page, program);
  await page.getByText('These people work at the desk').waitFor();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Confirmed.').waitFor();
  return page;
}

async function openFirstCase(page: Page): Promise<void> {
  await pressDeskKey(page, 'j');
  await pressDeskKey(page, 'Enter');
  await page.locator('.case h1').waitFor();
}

test('what one has taken the other reads, and may note, but not answer', async () => {
  await openFirstCase(pages.ada);
  await pressDeskKey(pages.ada, 't');
  await pages.ada.getByText('Yours.').waitFor();
  await openFirstCase(pages.sam);
  await pages.sam.getByText('Ada has this case.').waitFor();
  assert.equal(await pages.sam.locator('.inquiry .ask').innerText(), canaryInquiry.question);
  assert.equal(await pages.sam.locator('#text').count(), 0, 'no field for the buyer');
  await pressDeskKey(pages.sam, 'm');
  await pages.sam.keyboard.type('I know this number.');
  await pressDeskKey(pages.sam, 'Control+Enter');
  await pages.sam.locator('.memo').waitFor();
  assert.match(await pages.sam.locator('.memo').innerText(), /You[\s\S]*I know this number\./);
});

test('after a take-over the previous page sends nothing, keeps its text and says who has the case', async () => {
  await pressDeskKey(pages.sam, 't');
  await pages.sam.getByText('Yours.').waitFor();
  await pressDeskKey(pages.ada, 'r');
  await pages.ada.keyboard.type('Which number called you?');
  await pressDeskKey(pages.ada, 'Control+Enter');
  await pages.ada.getByText('A colleague has this case. Reassign it to yourself first.').waitFor();
  assert.match(await pages.ada.content(), /Which number called you\?/);
  await pages.ada.getByText('Sam has this case.').waitFor();
  assert.match(await pages.ada.locator('.memo').innerText(), /Sam[\s\S]*I know this number\./);
  await openCaseInBrowser(buyer, shop, words);
  await buyer.page.locator('#write').waitFor();
  assert.equal(await buyer.page.locator('.entry.desk').count(), 0, 'nothing reached the buyer');
});

test('an investigator who is removed is told at the next request, and the others go on', async () => {
  await pressDeskKey(pages.ada, 't');
  await pages.ada.getByText('Yours.').waitFor();
  const settings = { DATA_DIR: dataDir, ...(await writeTeamSettings(folder, [ada], recovery)) };
  const resealed = await runCli(settings, ['keys', 'reseal', '--key', ada.keyFile, '--yes']);
  assert.equal(resealed.code, 0, resealed.stderr);
  await pressDeskKey(pages.sam, '.');
  await pages.sam.getByText('The office does not know your key.').waitFor();
  assert.doesNotMatch(await pages.sam.content(), new RegExp(canaryInquiry.subject));
});
