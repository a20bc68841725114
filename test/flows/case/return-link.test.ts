/** A buyer who closed the window after paying returns by e-mail, in a browser that is new to the site. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { createReturnLinkMailer, enqueueReturnLinks } from '#payments/return-link.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { RETURN_LINK_MINUTES } from '#platform/expiry.ts';
import type { MailMessage } from '#platform/mail/mail.ts';
import { pickAskedWords } from '#seal/form/asked-words.ts';
import { createOutboxWorker } from '#store/outbox-worker.ts';
import { startTestShop } from '#test/test-shop.ts';
import { openBuyerTests } from '../buyer.ts';

const time = { offset: 0 };
const shop = await startTestShop({ after }, { clock: { now: () => Date.now() + time.offset } });
const { createBuyer, test } = await openBuyerTests(shop);

/** Returns the link in the only e-mail that is due. */
async function receiveLink(): Promise<string> {
  const { services } = shop;
  const emails: MailMessage[] = [];
  const sendMail = async (email: MailMessage) => void emails.push(email);
  time.offset += RETURN_LINK_MINUTES * MINUTE_MS;
  await enqueueReturnLinks(services);
  await createOutboxWorker({ ...services, handlers: createReturnLinkMailer({ ...services, sendMail }) })();
  time.offset = 0;
  const [to] = emails.map((email) => email.to);
  assert.deepEqual([emails.length, to], [1, 'buyer@sandbox.invalid']);
  return /^https:\S+$/m.exec(emails[0]?.text ?? '')?.[0] ?? '';
}

// For browsers without scripts: test/payments/return-link.test.ts and test/flows/inquiry/without-script.test.ts.
test('pay, close the window, open the link elsewhere, send', async (buyer, t) => {
  const payer = await createBuyer(t);
  await payer.buy('Dossier');
  const copied = await payer.confirmWords();
  assert.ok(!(await payer.page.getByText('These are new words.').isVisible()));
  await payer.page.context().close();
  const link = await receiveLink();
  const { page } = buyer;
  await buyer.visit('/inquiry');
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
  await buyer.fillForm();
  const words = await buyer.confirmWords();
  for (const { control, position } of pickAskedWords(words))
    await page.fill(`#${control}`, copied.split(' ')[position - 1] ?? '');
  await buyer.send();
  await page.getByRole('link', { name: 'they are out of date' }).first().waitFor();
  await buyer.fillAskedWords(words);
  await buyer.sendUntilOpen();
  await page.goto(link);
  await page.getByRole('heading', { name: 'This link doesn’t open a form' }).waitFor();
  await page.goto(shop.origin);
  assert.equal(await page.getByRole('link', { name: 'Go back to your form' }).count(), 0);
  // Chromium reports each page that it gets with an error status.
  const complaints = buyer.complaints.filter((text) => !/status of (404|422)/.test(text));
  assert.deepEqual(complaints, []);
});
