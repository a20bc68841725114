/** The call in a browser in another time zone: requested on the case page, booked by the desk, shown in local time. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { toWallTime } from '#seal/case/zoned-time.ts';
import { CALL_NUMBER, createCallTimes } from '#test/cases/call-times.ts';
import { openPlainCase } from '#test/cases/plain-form.ts';
import { addSealedMessage } from '#test/cases/sealed-message.ts';
import { findCaseByWords, openStoredCaseKey, readPrivateKey } from '#test/cases/stored-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserTests } from '../browser.ts';
import { type BrowserBuyer, createBrowserBuyer, openCaseInBrowser, openPart } from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const ZONE = 'America/New_York';
const { browser, prepare, test } = await openBrowserTests();
const shop = await shareTestShop();
const scope = withReverseCleanup({ after });
const { day, fields: times } = createCallTimes();
const AT = `${day}T14:30Z`;
let buyer: BrowserBuyer;
let words: string;

prepare(async () => {
  buyer = await createBrowserBuyer(scope, browser, { locale: 'en-US', timezoneId: ZONE });
  // Leaving the page may ask about text that was typed for the call.
  buyer.page.on('dialog', (dialog) => void dialog.accept());
  words = await openPlainCase(shop, 'Dossier');
});

async function openAtDesk() {
  const record = await findCaseByWords(shop, words);
  assert.ok(record);
  return { record, key: await openStoredCaseKey(shop, record, await readPrivateKey(shop.dataDir, 'desk')) };
}

test('the case page knows the zone of the browser', async () => {
  const { page } = buyer;
  await openCaseInBrowser(buyer, shop, words);
  await openPart(page, 'Your call');
  assert.equal(await page.inputValue('#call_zone'), ZONE);
  await page.fill('#call_number', CALL_NUMBER);
  await page.fill('#call_1_start', times.call_1_start);
  await page.fill('#call_1_end', times.call_1_end);
  await page.locator('#call button').click();
  await page.getByText('Your times were sent').waitFor();
});

test('the booked time is shown by the buyer’s clock with UTC beside it, without a script in the zone of the times', async () => {
  const { record, key } = await openAtDesk();
  const booking = { by: 'desk', seq: 0, callAct: 'book' } as const;
  const body = { text: '', call: { at: AT, zone: ZONE } };
  await addSealedMessage(shop.services, { id: record.id, key }, booking, body);
  const here = toWallTime(Date.parse(AT), ZONE)?.slice(11) ?? '';
  const { page } = buyer;
  await openCaseInBrowser(buyer, shop, words);
  const call = page.locator('[data-part=call]');
  await call.locator('time').waitFor();
  // In the time format of New York.
  assert.match(
    await call.locator('time').innerText(),
    /^\w+, \w+ \d+ at (9|10):30\sAM E[SD]T \(14:30 UTC\)$/,
  );
  const said = page.locator('.entry.desk .said');
  assert.match(
    await said.innerText(),
    /^The call is booked: \w+, \w+ \d+ at (9|10):30\sAM E[SD]T \(14:30 UTC\)$/,
  );
  await assertPageSoundEverywhere(page, 'the case with a booked call');

  const plain = await createBrowserBuyer(scope, browser, { javaScriptEnabled: false, timezoneId: ZONE });
  await plain.page.goto(`${shop.origin}/case`);
  await plain.page.fill('#words', words);
  await plain.page.getByRole('button', { name: 'Go to my case' }).click();
  const told = plain.page.locator('[data-part=call]');
  await told.locator('time').waitFor();
  assert.match(
    await told.locator('time').innerText(),
    new RegExp(`${here} America/New_York \\(.*14:30 UTC\\)$`),
  );
  assert.match(await told.innerText(), /With JavaScript turned on/);
  assert.ok(await plain.page.locator('#call').isHidden());
  await told.locator('details summary').click();
  await plain.page.fill('#call_1_start', times.call_1_start);
  await plain.page.fill('#call_1_end', times.call_1_end);
  assert.equal(await plain.page.inputValue('#call_zone'), ZONE, 'the zone of the earlier times');
  await plain.page.locator('#call button').click();
  await plain.page.getByText('Your times were sent').waitFor();
  assert.equal((await openAtDesk()).record.call, 'proposed');
});

test('the open page hears of it by itself, and no policy was broken', async () => {
  const { page } = buyer;
  await page.getByRole('button', { name: 'Check for updates' }).click();
  const suggested = page.locator('[data-part=call] dl div', { hasText: 'Times you suggested' });
  assert.match(
    await suggested.innerText(),
    / E[SD]T .*UTC\) to .* E[SD]T .*UTC\)$/,
    'in the reader’s own clock',
  );
  assert.deepEqual(buyer.complaints, []);
});
