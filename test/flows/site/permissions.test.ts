/** The permissions page in a real browser: sound, and with scripts the words stay in the browser. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { CLIENT_NAME_LENGTH } from '#clients/clients.ts';
import { readSignInCode, startOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { createWordsUser } from '#test/oauth/words-user.ts';
import { openBrowserPage, openBrowserTests } from '../browser.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const { browser, test } = await openBrowserTests();
const office = await startOAuthTestApp({ after });
const agent = await office.createClient();

const openPermissions = async (): Promise<Page> => {
  const page = await openBrowserPage({ after }, browser, 390);
  await page.goto(`${office.origin}/permissions`);
  return page;
};
const signInByEmail = async (page: Page, address: string) => {
  await page.fill('#address', address);
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.locator('#code').waitFor();
  await page.fill('#code', readSignInCode((await office.readEmails()).at(-1)));
  await page.getByRole('button', { name: 'Continue' }).click();
};
const isTokenAccepted = async (token: string) =>
  (await office.requestOrders(`Bearer ${token}`)).status === 200;

test('where scripts run, the words stay in the browser and find what was allowed with them', async () => {
  const { words, tokens } = await createWordsUser(office, agent);
  const page = await openPermissions();
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postData() ?? ''));
  await page.focus('#words');
  await page.locator('#sealing-note [data-when=browser]').waitFor();
  await page.fill('#words', words);
  await page.getByRole('button', { name: 'Sign in with the words' }).click();
  await page.getByRole('button', { name: 'End this permission for Sample Agent' }).click();
  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByText('There is nothing to end').waitFor();
  assert.equal(await isTokenAccepted(tokens.access_token), false);
  assert.match(sent.join('\n'), /lookup_token=/);
  for (const word of words.split(' ')) assert.ok(!sent.some((body) => body.includes(`=${word}`)));
  assert.ok(!sent.join('\n').includes(words.replaceAll(' ', '+')));
});

test('every page of the way is sound, wide and narrow, light and dark', async () => {
  const address = 'sound@example.com';
  const long = await office.createClient({ name: 'W'.repeat(CLIENT_NAME_LENGTH) });
  await office.obtainTokens(long, { address, sharesEmail: true });
  await office.obtainTokens(agent, { address });
  const page = await openPermissions();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await assertPageSoundEverywhere(page, 'permissions, sign-in');
  await signInByEmail(page, address);
  await page.getByRole('button', { name: 'End all of them' }).waitFor();
  await assertPageSoundEverywhere(page, 'permissions, list');
  await page.getByRole('button', { name: 'End this permission for Sample Agent' }).click();
  await page.getByRole('button', { name: 'Keep it' }).waitFor();
  await assertPageSoundEverywhere(page, 'permissions, confirmation');
  await page.getByRole('button', { name: 'Keep it' }).click();
  await page.getByRole('button', { name: 'End all of them' }).click();
  await page.getByRole('button', { name: 'Keep them' }).waitFor();
  await page.getByRole('button', { name: 'End all of them' }).click();
  await page.getByText('There is nothing to end').waitFor();
  await assertPageSoundEverywhere(page, 'permissions, ended');
  assert.deepEqual(complaints, []);
});
