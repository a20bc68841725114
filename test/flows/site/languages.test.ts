/** A purchase in Spanish and in the pseudo-languages, one of which is written from right to left. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { createLanguage, type Language } from '#language/language.ts';
import { readCatalogue } from '#language/language-file.ts';
import { english, SERVED_LANGUAGES } from '#language/languages.ts';
import { pickAskedWords } from '#seal/form/asked-words.ts';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { PSEUDO_TAGS, translateToPseudo } from '#tools/languages/pseudo-language.ts';
import { type BrowserBuyer, openBuyerTests } from '../buyer.ts';
import { assertPageSound } from '../page-checks.ts';

// In this process only, before the service starts.
for (const tag of PSEUDO_TAGS)
  (SERVED_LANGUAGES as unknown as Language[]).push(createLanguage(tag, translateToPseudo(tag)));
const shop = await shareTestShop();
const { createBuyer, test } = await openBuyerTests(shop);

/** Uses selectors that are the same in every language. */
async function walkThroughPurchase(
  buyer: BrowserBuyer,
  check: (name: string) => Promise<void>,
): Promise<void> {
  const { page } = buyer;
  const submit = () => page.locator('#inquiry [type=submit]:visible').first().click();
  await buyer.visit('/');
  await check('home');
  await buyer.buy('Dossier');
  await buyer.waitForSealing();
  await submit();
  await page.locator('#problems li').first().waitFor();
  await check('the form with problems');
  await buyer.fillForm();
  const words = await buyer.readWords();
  for (const { control, word } of pickAskedWords(words)) await page.fill(`#${control}`, word);
  await submit();
  await page.locator('#answers:not([hidden])').waitFor();
  await check('the answers to check');
  await page.click('#send');
  await page.waitForURL(/\/inquiry\/sent$/);
  await check('the words');
  await buyer.openCase(words);
  await check('the opened case');
}

/** Lists our own texts on the page and in its attributes, but not those of buyers and operators. */
async function listShownTexts(page: Page): Promise<string[]> {
  return await page.evaluate(`(() => {
    const theirs = '[lang=en], [translate=no], .code, dd[dir=auto], .said, .paper, template, script, style, option';
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { parentElement: parent, data } = node;
      if (data.trim() && !parent.closest(theirs) && parent.checkVisibility()) texts.push(data.trim());
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]'))
      texts.push(...['aria-label', 'placeholder', 'title'].map((name) => element.getAttribute(name) ?? ''));
    return texts;
  })()`);
}

/** Checks the script's count: in the plural, and with the comma of Latin America. */
async function assertCountedInSpanish(page: Page): Promise<void> {
  for (const [length, counted] of [
    [3_999, 'Queda 1 carácter'],
    [16_000, 'Sobran 12,000 caracteres'],
  ] as const) {
    await page.fill('#question', 'x'.repeat(length));
    assert.equal(await page.locator('#question-count').innerText(), counted);
  }
}

test('the walk in Spanish is sound, and leaves nothing in English', async (_buyer, t) => {
  const buyer = await createBuyer(t, { locale: 'es-CO' });
  const { page, complaints } = buyer;
  const spanish = readCatalogue('es');
  const untranslated = new Set<string>(
    Object.entries(english).flatMap(([key, text]) =>
      // Only the Spanish catalogue explains names of services.
      text === '' || spanish[key as keyof typeof english] === text ? [] : text,
    ),
  );
  await walkThroughPurchase(buyer, async (name) => {
    assert.equal(await page.getAttribute('html', 'lang'), 'es', name);
    assert.deepEqual(
      (await listShownTexts(page)).filter((text) => untranslated.has(text)),
      [],
      name,
    );
    // The short run skips axe here, because it checks the same elements in English.
    await assertPageSound(page, `${name} in Spanish`, isLongRun ? undefined : []);
    if (name === 'the form with problems') await assertCountedInSpanish(page);
  });
  assert.deepEqual(complaints, []);
});

/** Texts that pseudo-languages do not change: names, addresses, and days, which Intl formats in English for en-XA. */
const NAMES = new RegExp(
  [
    /Inquiry Office|Trace|Dossier|Deep Sweep|Online research, \w+|UTC|\w+day, \w+ \d+|https?:\S+|\+44[\d ]+/
      .source,
    ...SERVED_LANGUAGES.map(({ say }) => RegExp.escape(say('language.name'))),
  ].join('|'),
  'g',
);

for (const tag of isLongRun ? PSEUDO_TAGS : [])
  test(`in ${tag} the walk is sound, and every sentence comes from the catalogue`, async (_buyer, t) => {
    const buyer = await createBuyer(t, { locale: tag });
    const { page, complaints } = buyer;
    const operator = (await shop.get('/')).text.match(/Run by ([^.<]*)\./)?.[1] ?? '';
    const check = async (name: string) => {
      assert.equal(await page.getAttribute('html', 'dir'), tag === 'ar-XB' ? 'rtl' : 'ltr', name);
      const plain = (await listShownTexts(page))
        .map((text) => text.replaceAll(/[\u2066-\u2069]/g, '').replaceAll(NAMES, ''))
        .filter(
          (text) => /[A-Za-z]{2}/.test(text) && !operator.split(', ').some((part) => text.includes(part)),
        );
      assert.deepEqual(plain, [], name);
      await assertPageSound(page, `${name} in ${tag}`);
    };
    await walkThroughPurchase(buyer, check);
    assert.deepEqual(complaints, []);
    for (const path of ['/case', '/contact', '/inquiry', '/permissions']) {
      await page.goto(shop.origin + path);
      await check(path);
    }
  });
