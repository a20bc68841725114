/** What only a script shows is as sound as what the server renders: problems, progress, the words, the opened case. */
import assert from 'node:assert/strict';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserTests } from '../browser.ts';
import {
  canaryInquiry,
  clickSend,
  confirmShownWords,
  createBrowserBuyer,
  fillInquiryForm,
  openCaseInBrowser,
  openPaidInquiry,
  waitForOpenCase,
} from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const { browser, test } = await openBrowserTests();

const shop = await shareTestShop();

test('every step from the form to the opened case is sound, wide and narrow, light and dark', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page, complaints } = buyer;
  const held = Promise.withResolvers<void>();
  t.after(() => held.resolve());
  await page.route('**/inquiry/sealed', async (route) => {
    await held.promise;
    await route.continue();
  });
  await openPaidInquiry(buyer, shop, 'Dossier');
  const words = await confirmShownWords(buyer);
  await assertPageSoundEverywhere(page, 'the form');
  await clickSend(buyer);
  await page.locator('#problems li').first().waitFor();
  await assertPageSoundEverywhere(page, 'the form with problems');
  await fillInquiryForm(buyer);
  await clickSend(buyer);
  await page.locator('#progress').waitFor();
  await assertPageSoundEverywhere(page, 'the progress');
  held.resolve();
  await waitForOpenCase(buyer);
  await assertPageSoundEverywhere(page, 'the words');
  await openCaseInBrowser(buyer, shop, words);
  await page.getByText(canaryInquiry.question).waitFor();
  await assertPageSoundEverywhere(page, 'the opened case');
  assert.deepEqual(complaints, []);
});

test('the contact form is sound with problems and after it was sent', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page, complaints } = buyer;
  await page.goto(`${shop.origin}/contact`);
  await page.focus('#message');
  await page.locator('#sealing-note [data-when=browser]').waitFor();
  await clickSend(buyer);
  await page.locator('#problems li').first().waitFor();
  await assertPageSoundEverywhere(page, 'the contact form with problems');
  await page.check('[name=topic][value=press]');
  await page.fill('#message', 'When may we call you?');
  await clickSend(buyer);
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  await assertPageSoundEverywhere(page, 'the contact form, sent');
  assert.deepEqual(complaints, []);
});
