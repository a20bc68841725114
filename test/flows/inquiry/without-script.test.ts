/** Buying, asking and returning in a real browser that runs no scripts. */
import assert from 'node:assert/strict';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { type BrowserBuyer, canaryInquiry, openBuyerTests } from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const shop = await shareTestShop();
const { createBuyer, test } = await openBuyerTests(shop);

async function enterWords(buyer: BrowserBuyer, words: string): Promise<void> {
  const { page } = buyer;
  await buyer.visit('/case');
  await page.fill('#words', words);
  await page.click('#send');
  await page.getByText('What you sent').waitFor();
}

for (const [tier, width, colorScheme] of [
  ['Deep Sweep', 320, 'light'],
  ['Dossier', 390, 'dark'],
  ['Trace', 1280, 'light'],
].slice(0, isLongRun ? 3 : 1) as [string, number, 'light' | 'dark'][])
  test(`a buyer of ${tier} without scripts asks, keeps twelve words, and opens the case with them`, async (_buyer, t) => {
    const viewport = { width, height: 780 };
    const buyer = await createBuyer(t, { javaScriptEnabled: false, viewport, colorScheme });
    const { page } = buyer;
    await buyer.buy(tier);
    await page.getByText('Our script isn’t running in your browser.').waitFor();
    await buyer.fillForm();
    await buyer.send();
    await page
      .getByRole('link', { name: /^Type word \d+ from your own copy/ })
      .first()
      .waitFor();
    assert.equal(await page.inputValue('#question'), canaryInquiry.question);
    const words = await buyer.readWords();
    await buyer.fillAskedWords(words);
    const letter = { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear you') };
    await page.setInputFiles('#files', letter);
    await buyer.sendUntilOpen();
    assert.equal(await buyer.readWords(), words);
    await page.getByRole('button', { name: 'Go to my case' }).click();
    await page.getByText('What you sent').waitFor();
    assert.equal((await page.locator('.way li').allInnerTexts()).length, 4);
    await page.getByRole('button', { name: 'Check for updates' }).click();
    await page.getByText('When you are done, close this tab.').waitFor();
    await enterWords(buyer, words);
    const shown = await page.locator('main').innerText();
    for (const text of [
      tier,
      canaryInquiry.question,
      'letter.txt, 8 bytes',
      'No, our server locked it on arrival',
    ])
      assert.ok(shown.includes(text), text);
  });

// The server renders the same markup as the script, which the short run also checks.
if (isLongRun)
  test('every step without a script is sound, wide and narrow, light and dark', async (buyer) => {
    const { page } = buyer;
    // The pages stay as the server renders them; the checks themselves need a browser that runs scripts.
    await page.route('**/assets/*.js', (route) => route.abort());
    await buyer.buy('Dossier');
    await buyer.send();
    await page.locator('#problems li').first().waitFor();
    await assertPageSoundEverywhere(page, 'the form with problems');
    await buyer.fillForm();
    const words = await buyer.readWords();
    await buyer.fillAskedWords(words);
    await buyer.sendUntilOpen();
    await assertPageSoundEverywhere(page, 'the words');
    await enterWords(buyer, words);
    await assertPageSoundEverywhere(page, 'the opened case');
  });
