/** A buyer who closed the window after paying returns by e-mail, in a browser that is new to the site. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { MINUTE_MS } from '#platform/durations.ts';
import { RETURN_LINK_MINUTES } from '#platform/expiry.ts';
import { pickAskedWords } from '#seal/form/asked-words.ts';
import { startTestShop } from '#test/test-shop.ts';
import { openBrowserTests } from '../browser.ts';
import {
  buyInBrowser,
  clickSend,
  confirmShownWords,
  createBrowserBuyer,
  fillAskedWords,
  fillInquiryForm,
  readShownWords,
  waitForOpenCase,
} from '../buyer.ts';
import { receiveReturnLink } from '../return-link-mail.ts';

const { browser, test } = await openBrowserTests();
const time = { offset: 0 };
const shop = await startTestShop({ after }, { clock: { now: () => Date.now() + time.offset } });

async function receiveLink(): Promise<string> {
  time.offset += RETURN_LINK_MINUTES * MINUTE_MS;
  const link = await receiveReturnLink(shop);
  time.offset = 0;
  return link;
}

// For browsers without scripts: test/payments/return-link.test.ts and test/flows/inquiry/without-script.test.ts.
test('pay, close the window, open the link elsewhere, send', async (t) => {
  const payer = await createBrowserBuyer(t, browser);
  await buyInBrowser(payer, shop, 'Dossier');
  await confirmShownWords(payer);
  const copied = await readShownWords(payer.page);
  assert.ok(!(await payer.page.getByText('These are new words.').isVisible()));
  await payer.page.context().close();
  const link = await receiveLink();
  const buyer = await createBrowserBuyer(t, browser);
  const { page } = buyer;
  await page.goto(`${shop.origin}/inquiry`);
  await page.getByRole('heading', { name: 'There is no open form here' }).waitFor();
  await page.goto(link);
  await page.getByRole('button', { name: 'Open my form' }).click();
  await page.waitForURL(`${shop.origin}/inquiry`);
  await page.getByText('These are new words.').waitFor();
  // Leaves and returns through the line on other pages.
  for (const path of ['/', '/case']) {
    await page.goto(shop.origin + path);
    await page.getByRole('link', { name: 'Go back to your form' }).click();
    await page.waitForURL(`${shop.origin}/inquiry`);
    await page.getByText('These are new words.').waitFor();
  }
  await fillInquiryForm(buyer);
  await confirmShownWords(buyer);
  const words = await readShownWords(page);
  for (const { control, position } of pickAskedWords(words))
    await page.fill(`#${control}`, copied.split(' ')[position - 1] ?? '');
  await clickSend(buyer);
  await page.getByRole('link', { name: 'they are out of date' }).first().waitFor();
  await fillAskedWords(page, words);
  await clickSend(buyer);
  await waitForOpenCase(buyer);
  await page.goto(link);
  await page.getByRole('heading', { name: 'This link doesn’t open a form' }).waitFor();
  await page.goto(shop.origin);
  assert.equal(await page.getByRole('link', { name: 'Go back to your form' }).count(), 0);
  // Chromium reports each page that it gets with an error status.
  const complaints = buyer.complaints.filter((text) => !/status of (404|422)/.test(text));
  assert.deepEqual(complaints, []);
});
