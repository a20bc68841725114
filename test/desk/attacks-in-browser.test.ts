/** What other pages can do to the desk in a real browser: nothing. */
import assert from 'node:assert/strict';
import nodeTest, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { EntryFile } from '#desk/loopback/entry.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { BROWSER_ARGS, findBrowser, getBrowserPath } from '#test/flows/find-browser.ts';
import { PATIENCE_MS } from '#test/patience.ts';
import { NO_BROWSER } from '#test/test-counts.ts';
import { startAttackingSite, startSquatter } from './attacking-site.ts';
import { PASSPHRASE, SECRET_TEXT, startLoopbackDesk } from './loopback-desk.ts';

const cleanup = withReverseCleanup({ after });
const browser = await launchBrowser();
const desk = await startLoopbackDesk(cleanup);
const site = await startAttackingSite(cleanup);
const { origin, port } = desk.server;
const deskName = new URL(origin).hostname;
const test = (name: string, run: () => Promise<void>) =>
  void nodeTest(name, browser ? {} : { skip: NO_BROWSER }, run);

/** Launches a browser in which a stranger's name leads to this machine, as under DNS rebinding. */
async function launchBrowser() {
  const found = await findBrowser();
  await found?.close();
  const executablePath = getBrowserPath();
  if (!found || executablePath === undefined) return null;
  const args = [...BROWSER_ARGS, '--host-resolver-rules=MAP evil.example 127.0.0.1'];
  const launched = await chromium.launch({ executablePath, args, timeout: PATIENCE_MS });
  cleanup.after(() => launched.close());
  return launched;
}

async function openContext(): Promise<BrowserContext> {
  const context = await browser!.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  cleanup.after(() => context.close());
  return context;
}

async function enter(context: BrowserContext, { server, entry } = desk): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${server.origin}/enter/${entry.makeSecret()}`);
  await page.waitForURL(`${server.origin}/queue`);
  assert.ok((await page.content()).includes(SECRET_TEXT));
  return page;
}

async function unlockAnew(page: Page): Promise<void> {
  await page.goto(`${origin}/enter/${desk.entry.makeSecret()}`);
  await page.getByLabel(/Passphrase of/).fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.waitForURL(`${origin}/queue`);
}

async function readEverything(page: Page): Promise<string> {
  return (await Promise.all(page.frames().map((frame) => frame.content().catch(() => '')))).join('\n');
}

test('the private file and the typed address enter, and the desk knows its own forms', async () => {
  const context = await openContext();
  await enter(context);
  const file = new EntryFile(await createTemporaryFolder(cleanup));
  file.write(`${origin}/enter/${desk.entry.makeSecret()}`);
  const page = await context.newPage();
  await page.goto(pathToFileURL(file.path).href);
  await page.waitForURL(`${origin}/queue`);
  assert.ok((await page.content()).includes(SECRET_TEXT));
  await page.reload();
  await Promise.all([page.waitForEvent('load'), page.getByRole('link', { name: /Queue/ }).click()]);
  assert.ok((await page.content()).includes(SECRET_TEXT));
  await page.getByRole('button', { name: 'Lock' }).click();
  await page.getByRole('heading', { name: 'The desk is locked' }).waitFor();
  await unlockAnew(page);
});

test('a name that was rebound to this machine is not answered', async () => {
  const context = await openContext();
  await enter(context);
  const page = await context.newPage();
  for (const name of ['evil.example', 'localhost', '127.0.0.1', `evil.${deskName}`]) {
    // For an empty body the browser shows a page of its own, which is not the answer to the visit.
    const [answer] = await Promise.all([
      page.waitForResponse((each) => each.url().startsWith(`http://${name}:${port}/queue`)),
      page.goto(`http://${name}:${port}/queue`).catch(() => null),
    ]);
    assert.equal(answer.status(), 421, name);
    assert.ok(!(await readEverything(page)).includes(SECRET_TEXT), name);
  }
});

test('pages on another port, under our name, its neighbours and a rebound one, reach nothing', async () => {
  const context = await openContext();
  const own = await enter(context);
  const statuses: number[] = [];
  context.on('response', (answer) => {
    const { port: answered, pathname } = new URL(answer.url());
    if (answered === String(port) && pathname !== '/proof') statuses.push(answer.status());
  });
  // One window for each: after an answer without a body, the browser shows a page of its own at any time.
  const openAttack = async (name: string, kind: string, path: string) => {
    const page = await context.newPage();
    await page.goto(`http://${name}:${site.port}/${kind}?${encodeURIComponent(`${origin}${path}`)}`);
    return page;
  };
  for (const name of [deskName, 'localhost', '127.0.0.1', 'other.localhost', 'evil.example']) {
    const form = await openAttack(name, 'form', '/acts');
    const answered = form.waitForResponse((answer) => answer.url() === `${origin}/acts`);
    await form.getByRole('button').click({ noWaitAfter: true });
    await answered;
    await openAttack(name, 'parts', '/queue');
    const frame = await openAttack(name, 'frame', '/queue');
    assert.ok(!(await readEverything(frame)).includes(SECRET_TEXT), `a frame at ${name}`);
    const read = await frame.evaluate(
      `Promise.allSettled(['cors', 'no-cors'].flatMap((mode) => ['GET', 'POST'].map((method) => fetch('${origin}/queue', { mode, method, credentials: 'include' }).then((answer) => answer.text())))).then((all) => JSON.stringify(all))`,
    );
    assert.ok(!String(read).includes(SECRET_TEXT), `fetched at ${name}`);
  }
  assert.ok(statuses.length >= 5, `only ${statuses.length} answers were seen`);
  assert.deepEqual([...new Set(statuses)], [403]);
  assert.equal(desk.posted.length, 0);
  await own.reload();
  assert.ok((await own.content()).includes(SECRET_TEXT), 'the own window is as it was');
});

test('the cookie goes to no other name of this machine', async () => {
  const context = await openContext();
  await enter(context);
  const page = await context.newPage();
  const before = site.received.length;
  for (const name of ['localhost', '127.0.0.1', 'other.localhost', 'evil.example'])
    await page.goto(`http://${name}:${site.port}/`);
  const cookies = site.received.slice(before).map(({ headers }) => headers.cookie);
  assert.ok(cookies.length >= 4);
  assert.deepEqual([...new Set(cookies)], [undefined]);
});

const CASE_TEXT = 'The subject lives at 12 Example Street';

/** The notice alone is not enough: a page with a slow script also shows it, without having asked the desk. */
async function waitUntilLost(page: Page): Promise<void> {
  await page.locator('[role=alert].sure').waitFor();
}

test('a program that has the port after the desk gets neither a text nor a link to follow', async () => {
  const ended = await startLoopbackDesk(cleanup);
  const page = await enter(await openContext(), ended);
  await page.goto(`${ended.server.origin}/writing`);
  const token = await page.locator('input[name=token]').first().inputValue();
  ended.server.close();
  const { heard } = await startSquatter(cleanup, ended.server.port);
  await page.getByLabel('Reply').fill(CASE_TEXT);
  await page.getByRole('button', { name: 'Send' }).click();
  await waitUntilLost(page);
  assert.match((await page.getByRole('alert').textContent()) ?? '', /is not answering this page/);
  // Submits as an extension might, without the event that the page's script waits for.
  await page.evaluate("document.querySelector('textarea').form.submit()");
  // By keyboard, since the notice covers the link.
  await page.getByRole('link', { name: /Queue/ }).press('Enter');
  assert.equal(await page.getByRole('button', { name: 'Send' }).isDisabled(), true);
  assert.equal(await page.getByLabel('Reply').inputValue(), CASE_TEXT);
  assert.ok(heard.length > 0, 'the squatter was asked for a proof');
  for (const request of heard) assert.match(request, /^GET \/proof\?of=[\da-f-]{36} $/);
  assert.ok(!heard.join().includes(token));
});

test('a passphrase that was typed after a new entry does not reach a program that has the port since', async () => {
  const ended = await startLoopbackDesk(cleanup);
  ended.lock.lock('signal');
  const page = await (await openContext()).newPage();
  await page.goto(`${ended.server.origin}/enter/${ended.entry.makeSecret()}`);
  await page.getByLabel(/Passphrase of/).fill(PASSPHRASE);
  ended.server.close();
  const { heard } = await startSquatter(cleanup, ended.server.port);
  await page.getByLabel(/Passphrase of/).press('Enter');
  await waitUntilLost(page);
  assert.equal(await page.getByLabel(/Passphrase of/).isDisabled(), true);
  assert.deepEqual(
    heard.filter((request) => !request.startsWith('GET /proof')),
    [],
  );
});

test('a desk that could not be asked for a while gets the text once it answers again', async () => {
  const context = await openContext();
  const page = await enter(context);
  await page.getByLabel('Reply').fill('typed before the machine slept');
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Send' }).click();
  await waitUntilLost(page);
  const before = desk.posted.length;
  await context.setOffline(false);
  await page.getByRole('alert').waitFor({ state: 'hidden' });
  assert.equal(desk.posted.length, before, 'nothing is sent by itself');
  const sent = page.waitForResponse((answer) => answer.url() === `${origin}/acts`);
  await page.getByRole('button', { name: 'Send' }).click();
  assert.equal((await sent).status(), 303);
  assert.equal(desk.posted.at(-1)?.get('text'), 'typed before the machine slept');
});

test('a page whose script did not come sends nothing', async () => {
  const context = await openContext();
  await context.route(/\.js$/, (route) => route.abort());
  const page = await enter(context);
  await page.getByLabel('Reply').fill(CASE_TEXT);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('link', { name: /Queue/ }).click();
  await page.waitForEvent('load');
  assert.deepEqual(
    requests.filter((url) => /acts/.test(url)),
    [],
  );
});
