/** What only a script shows is as sound as what the server renders: problems, progress, the words, the opened case. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { openShop } from '#test/shop.ts';
import { findBrowser } from './browser.ts';
import { buy, fillIn, keepWords, newBuyer, openCase, send, story, waitUntilSent } from './buyer.ts';
import { assertSoundEverywhere } from './soundness.ts';

const browser = await findBrowser({ after });

if (browser !== null) {
  const shop = await openShop({ after });

  test('every step from the form to the opened case is sound, at every width and in every theme', async (t) => {
    const buyer = await newBuyer(t, browser);
    const { page, complaints } = buyer;
    const held = Promise.withResolvers<void>();
    t.after(() => held.resolve());
    await page.route('**/inquiry/sealed', async (route) => {
      await held.promise;
      await route.continue();
    });
    await buy(buyer, shop, 'Dossier');
    const words = await keepWords(buyer);
    await assertSoundEverywhere(page, 'the form');
    await send(buyer);
    await page.locator('#problems li').first().waitFor();
    await assertSoundEverywhere(page, 'the form with problems');
    await fillIn(buyer);
    await send(buyer);
    await page.locator('#progress').waitFor();
    await assertSoundEverywhere(page, 'the progress');
    held.resolve();
    await waitUntilSent(buyer);
    await assertSoundEverywhere(page, 'the words');
    await openCase(buyer, shop, words);
    await page.getByText(story.question).waitFor();
    await assertSoundEverywhere(page, 'the opened case');
    assert.deepEqual(complaints, []);
  });

  test('the contact form is sound with problems and after it was sent', async (t) => {
    const buyer = await newBuyer(t, browser);
    const { page, complaints } = buyer;
    await page.goto(`${shop.origin}/contact`);
    await page.locator('#sealing-note [data-when=browser]').waitFor();
    await send(buyer);
    await page.locator('#problems li').first().waitFor();
    await assertSoundEverywhere(page, 'the contact form with problems');
    await page.check('[name=topic][value=press]');
    await page.fill('#message', 'When may we call you?');
    await send(buyer);
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    await assertSoundEverywhere(page, 'the contact form, sent');
    assert.deepEqual(complaints, []);
  });
}
