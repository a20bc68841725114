/** The twelve words on the form and on the page after sending: printed alone, copied, hidden, asked back. */
import assert from 'node:assert/strict';
import { pickAskedWords } from '#seal/form/asked-words.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { readPrintedLines } from '../browser.ts';
import { openBuyerTests } from '../buyer.ts';

const shop = await shareTestShop();
const { createBuyer, test } = await openBuyerTests(shop);

test('printing the form or the sent page prints the numbered words alone, with the address only if wanted', async (buyer) => {
  const { page } = buyer;
  const words = await buyer.fillPaidForm('Dossier');
  for (const place of ['the form', 'the sent page']) {
    const title = await page.title();
    assert.deepEqual(await readPrintedLines(page), words.split(' '), place);
    await page.getByLabel('Print the web address').check();
    assert.deepEqual(await readPrintedLines(page), [...words.split(' '), `${shop.origin}/case`], place);
    await page.getByLabel('Print the web address').uncheck();
    const pdf = (await page.pdf({ displayHeaderFooter: true, footerTemplate: 'FOOT' })).toString('latin1');
    assert.match(pdf, /\/Title \(Notes\)/, place);
    assert.equal(pdf.match(/\/Type \/Page\b/g)?.length, 1, place);
    assert.equal(await page.title(), title, place);
    if (place === 'the form') await buyer.sendUntilOpen();
  }
});

test('without a script too, the words alone are printed', async (_buyer, t) => {
  const buyer = await createBuyer(t, { javaScriptEnabled: false });
  const { page } = buyer;
  await buyer.openPaidForm('Trace');
  await page.waitForLoadState();
  assert.ok(!(await page.getByLabel('Print the web address').isVisible()), 'nothing here prints');
  const about = await page.locator('.group:has(.words)').innerText();
  assert.doesNotMatch(about, /tick/, 'the box that keeps a draft is not there');
  await page.emulateMedia({ media: 'print' });
  for (const hidden of ['h1', '.top', '.foot', '#question', '.steps', '.slip', 'legend', '.with-address'])
    assert.ok(!(await page.locator(hidden).first().isVisible()), hidden);
  assert.ok(await page.locator('.words').isVisible());
  assert.ok(!(await page.locator('.way-back').isVisible()));
});

test('the words can be copied and hidden, two are asked back by keyboard, and are pasted on the case page', async (_buyer, t) => {
  const buyer = await createBuyer(t, { permissions: ['clipboard-write'] });
  const { page, complaints } = buyer;
  await buyer.openPaidForm('Trace');
  const words = await buyer.confirmWords();
  await page.getByRole('button', { name: 'Copy the words' }).click();
  await page.getByRole('status').filter({ hasText: 'Copied.' }).waitFor();
  const firstWord = page.locator('.words li').first();
  await page.getByRole('button', { name: 'Hide the words' }).click();
  assert.ok(!(await firstWord.isVisible()));
  assert.deepEqual(await readPrintedLines(page), words.split(' '), 'hidden words are printed all the same');
  await page.getByRole('button', { name: 'Show the words' }).click();
  assert.ok(await firstWord.isVisible());

  await buyer.fillForm();
  const [first, second] = pickAskedWords(words);
  await page.getByLabel(`Word ${first?.position}`, { exact: true }).focus();
  assert.ok(!(await firstWord.isVisible()), 'they are out of sight');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(second?.word ?? '');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.id'), 'asked_word_2');
  await buyer.send();
  await page.getByRole('link', { name: `This isn’t word ${first?.position} of` }).click();
  assert.equal(await page.evaluate('document.activeElement.id'), 'asked_word_1');
  const described = await page.locator('#asked_word_1').getAttribute('aria-describedby');
  assert.equal(described, 'asked_word_1-error');
  await page.fill('#asked_word_1', `${first?.position}. ${first?.word.slice(0, 4).toUpperCase()}`);
  await buyer.sendUntilOpen();

  await buyer.visit('/case');
  await page.locator('#words').focus();
  await buyer.waitForSealing();
  await page.keyboard.press('Control+V');
  assert.equal(await page.inputValue('#words'), words);
  assert.deepEqual(complaints, []);
});
