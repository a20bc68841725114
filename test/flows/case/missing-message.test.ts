/** A real browser reports a message that was removed from the store, and only marks one that crossed. */
import assert from 'node:assert/strict';
import {
  deleteStoredMessage,
  GAP_IN_ITS_PLACE,
  listLinks,
  openWithWords,
  updateToldCase,
  writeFromDesk,
  writeRiskyConversation,
  writeToCase,
} from '#test/cases/conversation.ts';
import { openPlainCase } from '#test/cases/plain-form.ts';
import { addSealedMessage } from '#test/cases/sealed-message.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { type BrowserBuyer, openBuyerTests } from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const shop = await shareTestShop();
const { test } = await openBuyerTests(shop);

test('an answer that was deleted leaves a gap in its place, and the buyer can write on', async (buyer) => {
  const words = await openPlainCase(shop);
  await writeRiskyConversation(shop, words);
  await buyer.openCase(words);
  assert.equal(await buyer.page.locator('.missing, .caution:visible').count(), 0);
  await deleteStoredMessage(shop, words, 'buyer', 1);
  await buyer.openCase(words);
  assert.match(await buyer.page.locator('[data-slot=thread]').innerText(), GAP_IN_ITS_PLACE);
  await buyer.openPart('Key fingerprint');
  assert.match(await buyer.page.locator('.slip').innerText(), /Key fingerprint\s+\d{5}(?: \d{5}){3}\b/);
  await assertPageSoundEverywhere(buyer.page, 'a case with a gap');
  await buyer.write('I wrote: never contact him.');
  assert.equal((await listLinks(shop, words)).at(-1), 'buyer 3 linked');
  assert.deepEqual(buyer.complaints, []);
});

/** Simulates a service that withholds a question until the answer to another one is sent, and refuses as listed. */
async function releaseQuestionOnSending(
  { page }: BrowserBuyer,
  words: string,
  ...refusals: readonly (readonly [status: number, code: string])[]
): Promise<void> {
  let tries = 0;
  await page.route('**/case/sealed/message', async (route) => {
    if (tries === 0) await writeToCase(shop, words, 'desk', 'May we contact the subject directly?');
    const refusal = refusals[tries];
    tries += 1;
    if (!refusal) return await route.continue();
    const [status, code] = refusal;
    const json = { code, detail: 'Refused.' };
    return await route.fulfill({ status, json, contentType: 'application/problem+json' });
  });
}

test('an answer that the service has the browser send again claims only what the page showed', async (buyer) => {
  const words = await openPlainCase(shop);
  await writeToCase(shop, words, 'desk', 'Report in English?');
  await buyer.openCase(words);
  await releaseQuestionOnSending(buyer, words, [409, 'case_changed']);
  await buyer.write('Yes, do.');
  assert.match(
    await buyer.page.locator('[data-slot=thread]').innerText(),
    /directly\?.*Yes, do\.\s+Written before/s,
  );
  assert.deepEqual(await listLinks(shop, words), ['desk 0 linked', 'desk 1 linked', 'buyer 0 crossed']);
});

test('what the browser has fetched but not shown is not claimed by the next text either', async (buyer) => {
  const words = await openPlainCase(shop);
  await writeToCase(shop, words, 'desk', 'Report in English?');
  const { page } = buyer;
  await buyer.openCase(words);
  await releaseQuestionOnSending(buyer, words, [409, 'case_changed'], [422, 'not_sealed']);
  await page.fill('#message', 'Yes');
  await page.locator('#write button').click();
  await page.locator('#message-error').waitFor();
  assert.equal(await page.getByText('May we contact').count(), 0);
  await buyer.write('Yes, do.');
  await buyer.write('No: never contact him.');
  assert.deepEqual(await listLinks(shop, words), [
    'desk 0 linked',
    'desk 1 linked',
    'buyer 0 crossed',
    'buyer 1 linked',
  ]);
});

test('a case that the service shows as declined, though no investigator has, says so in the browser', async (buyer) => {
  const words = await openPlainCase(shop);
  await writeFromDesk(shop, words, 'Which name did she use?', 'ask');
  await buyer.openCase(words);
  const alert = buyer.page.locator('[data-slot=differences]');
  assert.equal(await alert.isVisible(), false);
  assert.match(await buyer.page.locator('[data-slot=thread]').innerText(), /This message asks for a reply\./);
  await updateToldCase(shop, words, { state: 'declined' });
  await buyer.openCase(words);
  await alert.waitFor();
  assert.match(await alert.innerText(), /it is shown as not accepted, but no message from the investigator/);
  await assertPageSoundEverywhere(buyer.page, 'a case with a difference');
  assert.deepEqual(buyer.complaints, []);
});

test('a case that comes in several answers is shown as a whole, and the buyer can write on', async (buyer) => {
  const words = await openPlainCase(shop);
  await writeToCase(shop, words, 'desk', 'Tell us more.');
  const { id, key } = await openWithWords(shop, words);
  for (let seq = 0; seq < 20; seq += 1)
    await addSealedMessage(shop.services, { id, key }, { by: 'buyer', seq }, { text: 'x'.repeat(40_000) });
  await writeToCase(shop, words, 'desk', 'Thank you.');
  await buyer.openCase(words);
  assert.equal(await buyer.page.locator('.entry').count(), 22);
  await buyer.write('You are welcome.');
  assert.equal(await buyer.page.locator('.entry').count(), 23);
  assert.equal((await listLinks(shop, words)).at(-1), 'buyer 20 linked');
  assert.deepEqual(buyer.complaints, []);
});
