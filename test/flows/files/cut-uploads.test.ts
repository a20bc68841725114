/** Uploads of a real browser that the network, the service or kill -9 interrupts: each continues where it stopped. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import type { Route } from 'playwright-core';
import { createRestartableService, killService } from '#test/cases/restartable-service.ts';
import { waitUntil } from '#test/patience.ts';
import { type BrowserBuyer, openBuyerTests } from '../buyer.ts';

const restartable = await createRestartableService({ after }, { CONTACT_WAYS: 'other' });
let service = await restartable.start();
const { test } = await openBuyerTests(service);

/** Eleven pieces. */
const film = { name: 'film.mp4', mimeType: 'video/mp4', buffer: randomBytes(2_700_000) };
const PIECES = 11;

/** Calls `answer` for each piece of the file that the browser sends. Returns the addresses that reached the service. */
async function prepareSending(
  buyer: BrowserBuyer,
  answer: (route: Route, stored: readonly string[]) => Promise<boolean>,
): Promise<{ readonly sent: string[]; readonly words: string }> {
  const sent: string[] = [];
  await buyer.buy('Trace');
  const words = await buyer.confirmWords();
  await buyer.fillForm();
  await buyer.page.setInputFiles('#files', [film]);
  await buyer.page.route('**/inquiry/uploads/**', async (route) => {
    if (!(await answer(route, sent))) return;
    sent.push(new URL(route.request().url()).pathname);
    await route.continue();
  });
  return { sent, words };
}

/** Checks that every piece and the envelope were sent once; only unacknowledged pieces may be repeated. */
function assertSentOnce(sent: readonly string[], repeated: number): void {
  const uploads = new Set(sent.map((path) => path.slice(0, path.lastIndexOf('/'))));
  assert.equal(uploads.size, 2, 'one upload for the file, one for the text');
  assert.equal(new Set(sent).size, PIECES + 1);
  assert.ok(sent.length <= PIECES + 1 + repeated, `${sent.length} pieces for ${PIECES + 1}`);
}

async function assertFileComesBack(buyer: BrowserBuyer, words: string): Promise<void> {
  await buyer.openCase(words);
  assert.ok((await buyer.save('Save film.mp4')).bytes.equals(film.buffer));
}

const countCases = () => restartable.queryRows('select count(*) as n from cases')[0]?.['n'];

test('offline the page says that it waits, and goes on by itself from where it stopped', async (buyer) => {
  const { page } = buyer;
  let isCut = false;
  const refused: Route[] = [];
  const { sent } = await prepareSending(buyer, async (route, stored) => {
    if (stored.length === 5 && !isCut) {
      isCut = true;
      await page.context().setOffline(true);
    }
    if (!isCut || (await page.evaluate('navigator.onLine'))) return true;
    refused.push(route);
    await route.abort('internetdisconnected');
    return false;
  });
  await buyer.send();
  await page.getByText('Waiting for the connection').waitFor();
  // Each of the three concurrent pieces is retried at least once.
  await waitUntil('each was tried twice', () => refused.length >= 6);
  assert.ok(await page.getByText('Waiting for the connection').isVisible());
  await page.context().setOffline(false);
  await buyer.waitForOpenCase();
  // The two pieces beside the refused one may already have been sent.
  assertSentOnce(sent, 2);
  assert.equal(countCases(), 1);
});

test('after the service refused, the next try sends only what is missing', async (buyer) => {
  let isRefusing = true;
  const { sent, words } = await prepareSending(buyer, async (route, stored) => {
    if (stored.length < 4 || !isRefusing) return true;
    await route.fulfill({ status: 503, headers: { 'retry-after': '0' }, json: { code: 'overloaded' } });
    return false;
  });
  await buyer.send();
  await buyer.page.locator('#problems li').waitFor();
  assert.equal(sent.length, 4);
  isRefusing = false;
  await buyer.sendUntilOpen();
  assertSentOnce(sent, 0);
  await assertFileComesBack(buyer, words);
});

test('kill -9 of the service in the middle: the upload goes on after its restart, and opens one case', async (buyer) => {
  const before = Number(countCases());
  const { promise: isKilled, resolve: reportKilled } = Promise.withResolvers<void>();
  const { sent, words } = await prepareSending(buyer, async (_route, stored) => {
    if (stored.length === 6) await isKilled;
    return true;
  });
  await buyer.send();
  await waitUntil('six pieces are on their way', () => sent.length >= 6);
  await killService(service);
  reportKilled();
  await buyer.page.getByText('Waiting for the connection').waitFor();
  service = await restartable.start();
  await buyer.waitForOpenCase();
  // Up to three pieces were being sent, and are retried until the service responds.
  assert.equal(new Set(sent).size, PIECES + 1);
  assert.equal(new Set(sent.map((path) => path.slice(0, path.lastIndexOf('/')))).size, 2);
  assert.equal(Number(countCases()), before + 1);
  const first = sent[0] ?? '';
  assert.equal(sent.filter((path) => path === first).length, 1, 'the first piece went once');
  await assertFileComesBack(buyer, words);
});
