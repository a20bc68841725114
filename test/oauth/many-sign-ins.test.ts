/** A flood of sign-ins that only began blocks no one; sign-ins that went further block new ones, for minutes. */

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { MINUTE_MS } from '#platform/durations.ts';
import { deleteAbandonedSignIns } from '#store/clients/tokens.ts';
import { deleteExpiredRows } from '#store/due-work.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { computeCap } from '#store/limits/storage-caps.ts';
import { browserHeaders } from '#test/site/every-page.ts';
import { clientCredentialsForm, readSignInCode, startOAuthTestApp } from './oauth-test-app.ts';

/** So small that there is room for a few dozen sign-ins. */
const DISK_BYTES = 2 * 1024 ** 2;
let now = Date.now();
const testApp = await startOAuthTestApp(
  { after },
  { clock: { now: () => now }, disk: async () => ({ total: DISK_BYTES, free: DISK_BYTES, reusable: 0 }) },
);
const agent = await testApp.createClient();
const url = testApp.buildAuthorizeUrl(agent.clientId);
const path = url.slice(testApp.origin.length);

/** E-mails that are due together are sent in any order. */
async function readCodeFor(address: string): Promise<string> {
  return readSignInCode((await testApp.readEmails()).findLast(({ to }) => to === address));
}

test('sign-ins that only began give way to new ones, those of people who went on do not', async () => {
  const [waiting, asked] = [testApp.openBrowser(), testApp.openBrowser()];
  for (const [browser, address] of [
    [waiting, 'waiting@example.com'],
    [asked, 'asked@example.com'],
  ] as const) {
    await browser.open(url);
    await browser.submitForm('address', { address });
  }
  await asked.submitForm('code', { code: await readCodeFor('asked@example.com') });
  await testApp.get(path);
  const giveWay = async () =>
    await testApp.store.transaction((records) => deleteAbandonedSignIns(records, 1));
  assert.deepEqual([await giveWay(), await giveWay()], [1, 0], 'those before it do not shield it');
  const { number } = computeCap('sign_ins', DISK_BYTES);
  const longUrl = `${path}&state=${'s'.repeat(4_000)}`.replace('state=a-state&', '');
  for (let count = 0; count < 3 * number; count += 1)
    assert.equal((await testApp.get(count % 2 ? path : longUrl)).status, 303, `the sign-in ${count}`);
  await waiting.submitForm('code', { code: await readCodeFor('waiting@example.com') });
  for (const browser of [waiting, asked]) {
    await browser.submitForm('consent');
    assert.ok(browser.getExternalRedirect()?.searchParams.get('code'), browser.getPage().text);
  }
});

test('where all of them went on, a person who has begun may finish, and clients get their tokens', async () => {
  const person = testApp.openBrowser();
  await person.open(url);
  await person.submitForm('address', { address: 'person@example.com' });
  let taken = 0;
  for (; taken < 1_000; taken += 1) {
    const browser = testApp.openBrowser();
    if ((await browser.open(url)).status !== 200) break;
    await browser.submitForm('address', { address: `${taken}@example.com` });
  }
  const answer = await testApp.get(path);
  assert.deepEqual([answer.status, answer.json['code']], [503, 'storage_full']);
  const page = await testApp.get(path, { headers: browserHeaders });
  assert.deepEqual([page.status, page.headers['retry-after']], [503, '60']);
  assert.match(page.text, /<h1>There is no room for this at the moment<\/h1>/);
  assert.ok(taken < computeCap('sign_ins', DISK_BYTES).number, `${taken} were taken`);
  await person.submitForm('code', { code: await readCodeFor('person@example.com') });
  await person.submitForm('consent');
  assert.ok(person.getExternalRedirect()?.searchParams.get('code'));
  assert.equal((await testApp.requestToken(agent, clientCredentialsForm)).status, 200);
});

test('new sign-ins begin again when those have expired', async () => {
  now += 30 * MINUTE_MS;
  await runInBatches(testApp.store, (records, limit) => deleteExpiredRows(records, 'tokens', now, limit));
  await testApp.store.gate.refresh();
  assert.equal((await testApp.get(path)).status, 303);
});

test('the codes that are sent by e-mail are capped too, and spent ones give way', async () => {
  const person = testApp.openBrowser();
  await person.open(url);
  let sent = 0;
  let status = 200;
  for (; status === 200 && sent < 1_000; sent += 1) {
    await person.open(url);
    ({ status } = await person.submitForm('address', { address: `person-${sent}@example.com` }));
    if (sent % 20 === 0) {
      await testApp.store.records.deleteFrom('tokens').where('kind', '=', 'Interaction').execute();
      await testApp.store.gate.refresh();
    }
  }
  assert.equal(status, 503);
  assert.ok(sent <= computeCap('sign_in_codes', DISK_BYTES).number + 1, `${sent} were sent`);
  now += 11 * MINUTE_MS;
  await person.open(url);
  assert.equal((await person.submitForm('address', { address: 'late@example.com' })).status, 200);
});
