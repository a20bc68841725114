/** The twelve words on the form and on the page after sending: printed alone, copied, hidden, never translated. */
import assert from 'node:assert/strict';
import { pickAskedWords } from '#seal/form/asked-words.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserTests } from '../browser.ts';
import {
  clickSend,
  confirmShownWords,
  createBrowserBuyer,
  fillInquiryForm,
  fillPaidInquiry,
  openPaidInquiry,
  waitForOpenCase,
} from '../buyer.ts';
import { readPrintedLines } from '../printed-page.ts';

const { browser, test } = await openBrowserTests();

const shop = await shareTestShop();

test('printing the form or the sent page prints the numbered words alone, with the address only if wanted', async (t) => {
  const buyer = await createBrowserBuyer(t, browser);
  const { page } = buyer;
  const words = await fillPaidInquiry(buyer, shop, 'Dossier');
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
    if (place === 'the form') {
      await clickSend(buyer);
      await waitForOpenCase(buyer);
    }
  }
});

test('without a script too, the words alone are printed', async (t) => {
  const buyer = await createBrowserBuyer(t, browser, { javaScriptEnabled: false });
  const { page } = buyer;
  await openPaidInquiry(buyer, shop, 'Trace');
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

test('the words can be copied and hidden, two are asked back by keyboard, and no browser may translate or correct them', async (t) => {
  const buyer = await createBrowserBuyer(t, browser, { permissions: ['clipboard-write'] });
  const { page, complaints } = buyer;
  await openPaidInquiry(buyer, shop, 'Trace');
  const words = await confirmShownWords(buyer);
  assert.deepEqual(await page.locator('.words').evaluate(readProtection), [
    'no',
    'en',
    null,
    null,
    null,
    null,
  ]);
  await page.getByRole('button', { name: 'Copy the words' }).click();
  await page.getByRole('status').filter({ hasText: 'Copied.' }).waitFor();
  const firstWord = page.locator('.words li').first();
  await page.getByRole('button', { name: 'Hide the words' }).click();
  assert.ok(!(await firstWord.isVisible()));
  assert.deepEqual(await readPrintedLines(page), words.split(' '), 'hidden words are printed all the same');
  await page.getByRole('button', { name: 'Show the words' }).click();
  assert.ok(await firstWord.isVisible());

  await fillInquiryForm(buyer);
  const [first, second] = pickAskedWords(words);
  await page.getByLabel(`Word ${first?.position}`, { exact: true }).focus();
  assert.ok(!(await firstWord.isVisible()), 'they are out of sight');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(second?.word ?? '');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.id'), 'asked_word_2');
  await clickSend(buyer);
  await page.getByRole('link', { name: `This isn’t word ${first?.position} of` }).click();
  assert.equal(await page.evaluate('document.activeElement.id'), 'asked_word_1');
  const described = await page.locator('#asked_word_1').getAttribute('aria-describedby');
  assert.equal(described, 'asked_word_1-error');
  await page.fill('#asked_word_1', `${first?.position}. ${first?.word.slice(0, 4).toUpperCase()}`);
  await clickSend(buyer);
  await waitForOpenCase(buyer);

  await page.goto(`${shop.origin}/case`);
  await page.locator('#words').focus();
  await page.locator('#sealing-note [data-when=browser]').waitFor();
  await page.keyboard.press('Control+V');
  assert.equal(await page.inputValue('#words'), words);
  assert.deepEqual(await page.locator('#words').evaluate(readProtection), [
    'no',
    'en',
    'false',
    'none',
    'off',
    'off',
  ]);
  assert.deepEqual(complaints, []);
});

/** Runs in the page. */
function readProtection(element: { getAttribute(name: string): string | null }): (string | null)[] {
  return ['translate', 'lang', 'spellcheck', 'autocapitalize', 'autocorrect', 'autocomplete'].map((name) =>
    element.getAttribute(name),
  );
}
