/** Signing in for an agent, and what it may then do, in a real browser: the pages are sound and keep the words. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { CLIENT_NAME_LENGTH } from '#clients/clients.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { readSignInCode, startOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { isLongRun } from '#test/scale.ts';
import { openAddress, openBrowserPage, openBrowserTests } from '../browser.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const { browser, test } = await openBrowserTests();

const office = await startOAuthTestApp({ after });
const agent = await startListeningAgent();
const { clientId } = await office.createClient({ redirectUris: ['http://127.0.0.1/done'] });
const start = office.buildAuthorizeUrl(clientId, { redirect_uri: `${agent.origin}/done` });
const words = generateWords();
await seedCase(office.store, { lookup_hash: (await deriveWordKeys(words)).lookupHash });

const openSignIn = async (javaScriptEnabled: boolean): Promise<Page> => {
  const page = await openBrowserPage({ after }, browser, 390, { javaScriptEnabled });
  await openAddress(page, start);
  return page;
};
const waitForRedirect = async (page: Page): Promise<URL> => {
  await page.waitForURL(`${agent.origin}/done?*`);
  return new URL(page.url());
};

test('a person who does not allow it is back at the app too', async () => {
  const page = await openSignIn(false);
  await page.getByRole('button', { name: 'Cancel and go back' }).click();
  assert.equal((await waitForRedirect(page)).searchParams.get('error'), 'access_denied');
});

test('where scripts run, the words stay in the browser and still sign in, once they are right', async () => {
  const page = await openSignIn(true);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postData() ?? ''));
  await page.focus('#words');
  await page.locator('#sealing-note [data-when=browser]').waitFor();
  const signIn = page.getByRole('button', { name: 'Sign in with the words' });
  await page.fill('#words', 'one two three');
  await signIn.click();
  await page.locator('#words-error').waitFor();
  await page.fill('#words', generateWords());
  await signIn.click();
  await page.getByText('No case opens with these words').first().waitFor();
  await page.fill('#words', words);
  await signIn.click();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  assert.ok((await waitForRedirect(page)).searchParams.get('code'));
  assert.match(sent.join('\n'), /lookup_token=/);
  for (const word of words.split(' ')) assert.ok(!sent.some((body) => body.includes(`=${word}`)));
  assert.ok(!sent.join('\n').includes(words.replaceAll(' ', '+')));
});

test('every page of the way is sound, wide and narrow, light and dark', async () => {
  const page = await openSignIn(true);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await assertPageSoundEverywhere(page, 'sign-in');
  await page.fill('#address', 'sound@example.com');
  await page.getByRole('button', { name: 'Send me a code' }).click();
  await page.locator('#code').waitFor();
  await assertPageSoundEverywhere(page, 'code');
  await page.fill('#code', readSignInCode((await office.readEmails()).at(-1)));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Don’t allow' }).waitFor();
  await assertPageSoundEverywhere(page, 'consent');
  await page.goto(office.buildAuthorizeUrl(clientId, { redirect_uri: 'https://evil.example/' }));
  await assertPageSoundEverywhere(page, 'refusal');
  const refusals = /the server responded with a status of (400|422)/;
  assert.deepEqual(
    complaints.filter((text) => !refusals.test(text)),
    [],
  );
});

if (isLongRun)
  test('every page that ends a permission is sound, wide and narrow, light and dark', async () => {
    const address = 'sound@example.com';
    const long = await office.createClient({ name: 'W'.repeat(CLIENT_NAME_LENGTH) });
    await office.obtainTokens(long, { address, sharesEmail: true });
    await office.obtainTokens(await office.createClient(), { address });
    const page = await openBrowserPage({ after }, browser, 390);
    await page.goto(`${office.origin}/permissions`);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await assertPageSoundEverywhere(page, 'permissions, sign-in');
    await page.fill('#address', address);
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.fill('#code', readSignInCode((await office.readEmails()).at(-1)));
    await page.getByRole('button', { name: 'Continue' }).click();
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

/** Starts an app on the person's machine, on any free port. */
async function startListeningAgent(): Promise<{ readonly origin: string }> {
  const server = createServer((_request, response) => response.end('back at the app'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return { origin: `http://127.0.0.1:${(server.address() as { port: number }).port}` };
}
