/** Buying, asking and returning in a real browser that runs scripts. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { waitUntil } from '#test/patience.ts';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { canaryInquiry, openBuyerTests } from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const shop = await shareTestShop();
const { createBuyer, test } = await openBuyerTests(shop);
const SEALER = '**/assets/sealer-*.js';

for (const tier of isLongRun ? ['Trace', 'Dossier', 'Deep Sweep'] : ['Deep Sweep'])
  test(`a buyer of ${tier} asks, keeps twelve words, and opens the case with them`, async (buyer) => {
    const { page, complaints } = buyer;
    const release = await buyer.holdRequests('**/inquiry/sealed');
    await buyer.buy(tier);
    const words = await buyer.confirmWords();
    assert.equal(await page.locator('input[name=words]').count(), 0);
    await assertPageSoundEverywhere(page, 'the form');
    await buyer.send();
    await page.locator('#problems li').first().waitFor();
    await assertPageSoundEverywhere(page, 'the form with problems');
    await buyer.fillForm();
    await buyer.send();
    await page.locator('#progress').waitFor();
    await assertPageSoundEverywhere(page, 'the progress');
    release();
    await buyer.waitForOpenCase();
    assert.equal(new URL(page.url()).pathname, '/inquiry/sent');
    assert.equal(await page.title(), 'Form, step 3 of 3');
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
    assert.match(await page.locator('main').innerText(), /due on \w+day \d+ \w+/);
    assert.equal(await buyer.readWords(), words);
    await assertPageSoundEverywhere(page, 'the words');
    await buyer.openCase(words);
    await page.getByText(canaryInquiry.question).waitFor();
    const shown = await page.locator('main').innerText();
    for (const text of [
      tier,
      canaryInquiry.subject,
      canaryInquiry.alias,
      'marrowcanary@example.org',
      'Yes, in your browser',
    ])
      assert.ok(shown.includes(text), text);
    assert.equal(await page.locator('#words').count(), 0);
    await assertPageSoundEverywhere(page, 'the opened case');
    assert.deepEqual(complaints, []);
  });

test('what is missing is said in the same words and the same markup as without a script', async (buyer, t) => {
  const plain = await createBuyer(t, { javaScriptEnabled: false });
  await plain.openPaidForm('Dossier');
  await plain.send();
  await plain.page.locator('#problems li').first().waitFor();
  const served = await plain.page.locator('main').innerHTML();

  const { page, complaints } = buyer;
  await buyer.openPaidForm('Dossier');
  await buyer.waitForSealing();
  await buyer.send();
  await page.locator('#problems li').first().waitFor();
  assert.equal(await page.evaluate('document.activeElement.className'), 'problems');
  const top = `document.querySelector('.problems').getBoundingClientRect().top`;
  const bar = `document.querySelector('.out').getBoundingClientRect().bottom`;
  // Waits for smooth scrolling to end; no part of the list's head may be under the bar.
  const isBelowBar = async () => await page.evaluate<boolean>(`${top} >= ${bar} && ${top} < ${bar} + 24`);
  await waitUntil('the list of errors is right below the bar', isBelowBar);
  assert.equal(await page.title(), 'Error: Form, step 2 of 3');
  // Each form asks for different words.
  const toAnyWord = (markup: string) => markup.replaceAll(/word \d+/g, 'word N');
  assert.deepEqual(
    parseProblems(toAnyWord(await page.locator('main').innerHTML())),
    parseProblems(toAnyWord(served)),
  );
  assert.equal(new URL(page.url()).pathname, '/inquiry');

  await page.fill('#alias', canaryInquiry.alias);
  await buyer.fillAskedWords(await buyer.readWords());
  await buyer.send();
  await page.locator('#alias-error').waitFor({ state: 'detached' });
  assert.equal(await page.locator('#asked_word_1-error').count(), 0);
  assert.equal(await page.locator('#alias').getAttribute('aria-invalid'), null);
  assert.equal(await page.locator('#alias').getAttribute('aria-describedby'), 'alias-hint alias-count');
  assert.equal(await page.inputValue('#alias'), canaryInquiry.alias);
  assert.deepEqual(complaints, []);
});

test('after a send that failed everything typed is still there, and only what is missing goes again', async (buyer) => {
  const { page } = buyer;
  let pieces = 0;
  page.on('request', (request) => {
    if (request.method() === 'PUT') pieces += 1;
  });
  await buyer.refuseRequests('**/inquiry/sealed', 402, 'payment_required');
  const words = await buyer.fillPaidForm('Trace');
  await page.setInputFiles('#files', [
    { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('seen') },
  ]);
  await buyer.send();
  await page.locator('#problems li').waitFor();
  const [entry] = await page.locator('#problems li').all();
  assert.match((await entry?.innerText()) ?? '', /^It isn’t complete/);
  assert.equal(await entry?.getByRole('link').count(), 0, 'nothing can be corrected at the button');
  assert.equal(await page.inputValue('#question'), canaryInquiry.question);
  assert.ok(await page.locator('#send').isEnabled());
  assert.ok(await page.locator('#progress').isHidden());
  assert.equal(pieces, 2);

  await page.unroute('**/inquiry/sealed');
  await buyer.sendUntilOpen();
  assert.equal(pieces, 2);
  assert.equal(await buyer.readWords(), words);
});

/** What keeps a browser from sealing, and is noticed before the buyer writes. */
const hindrances: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'the sealer cannot be loaded': (page) => page.route(SEALER, (route) => route.abort()),
  'the keys to seal to are damaged': (page) =>
    page.route(`${shop.origin}/inquiry`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/data-recovery="age1pq1../, 'data-recovery="age1pq1qq');
      await route.fulfill({ response, body });
    }),
  'the browser lacks some part of sealing': (page) =>
    page.route(SEALER, async (route) => {
      const response = await route.fetch();
      const body = `delete String.prototype.isWellFormed;${await response.text()}`;
      await route.fulfill({ response, body });
    }),
};
for (const [hindrance, hinder] of Object.entries(hindrances))
  test(`where ${hindrance} the form works as it does without a script, and says so`, async (buyer) => {
    const { page } = buyer;
    await hinder(page);
    await buyer.openPaidForm('Trace');
    await page.locator('#words-list[aria-busy=false]').waitFor();
    const words = await buyer.readWords();
    assert.equal(await page.inputValue('input[name=words]'), words);
    assert.ok(await page.locator('#sealing-note [data-when=server]').isVisible());
    await buyer.fillAskedWords(words);
    await buyer.fillForm();
    await buyer.sendUntilOpen();
    assert.equal(await buyer.readWords(), words);
  });

if (isLongRun)
  test('a form that comes back refused had the words of the server, so those of the script are called new', async (buyer) => {
    const { page } = buyer;
    await page.route(SEALER, (route) => route.abort());
    await buyer.openPaidForm('Trace');
    await page.locator('#words-list[aria-busy=false]').waitFor();
    const written = await buyer.readWords();
    await page.unroute(SEALER);
    await buyer.send();
    await page.locator('#problems li').first().waitFor();
    await buyer.waitForSealing();
    assert.notEqual(await buyer.readWords(), written);
    assert.ok(await page.getByText('These are new words.').isVisible());
  });

test('a form that is no longer open in this browser says to copy what was written, and which words count', async (buyer) => {
  const { page } = buyer;
  await buyer.fillPaidForm('Trace');
  await page.context().clearCookies();
  await buyer.send();
  const entry = page.locator('#problems li');
  await entry.waitFor();
  assert.match(await entry.innerText(), /Copy what you wrote .* the words from that tab open the case/);
  const links = entry.getByRole('link');
  assert.equal(await links.count(), 1, 'the sentence itself leads nowhere');
  assert.equal(await links.getAttribute('href'), '/contact');
  assert.equal(await links.getAttribute('target'), '_blank');
  assert.equal(await page.inputValue('#question'), canaryInquiry.question);
});

test('while it is sent the button rests, the progress shows, closing the page asks first, and what fails is tried again; then a buyer in danger is told whom to call', async (buyer) => {
  const { page } = buyer;
  let tries = 0;
  await page.route('**/inquiry/uploads/**', async (route) => {
    tries += 1;
    if (tries === 1) return await route.abort('connectionreset');
    if (tries === 2) return await route.fulfill({ status: 503, headers: { 'retry-after': '1' } });
    return await route.continue();
  });
  const release = await buyer.holdRequests('**/inquiry/uploads/**');
  await buyer.fillPaidForm('Trace');
  await page.check('[name=safety_risk][value=immediate]');
  assert.ok(await page.locator('#progress').isHidden());
  await buyer.send();
  await page.locator('#progress').waitFor();
  assert.match(await page.locator('#progress [role=status]').innerText(), /0%\. Keep this page open/);
  assert.ok(await page.locator('#send').isDisabled());
  const asked = page.waitForEvent('dialog');
  const closing = page.close({ runBeforeUnload: true });
  const dialog = await asked;
  assert.equal(dialog.type(), 'beforeunload');
  await dialog.dismiss();
  await closing;
  release();
  await buyer.waitForOpenCase();
  assert.equal(tries, 3);
  assert.match(await page.locator('main').innerText(), /call your local emergency number/);
});

const wrong: [words: string, sentence: RegExp][] = [
  ['abandon ability able', /You entered 3 words; there are twelve/],
  ['abandon abilitty able', /Check word 2: it isn’t one of our words\. Did you mean “ability”\?/],
  // The first letters of a word are enough.
  [`${'aban '.repeat(11)}abou`, /No case opens with these words\. Check each of them, and their order/],
];
for (const javaScriptEnabled of [true, false])
  test(`${javaScriptEnabled ? 'with' : 'without'} a script the case page helps who lost words, and says what to check`, async (_buyer, t) => {
    const buyer = await createBuyer(t, { javaScriptEnabled });
    const { page } = buyer;
    await buyer.visit('/case');
    await buyer.openPart('I can’t find my words');
    await page.getByText('If you told us in the form how to reach you').waitFor();
    await page.focus('#words');
    // The note about the words changes on the first focus, and moves the button.
    if (javaScriptEnabled) await buyer.waitForSealing();
    for (const [words, sentence] of wrong) {
      await page.fill('#words', words);
      await page.click('#send');
      await page.locator('#words-error', { hasText: sentence }).waitFor();
      assert.match(await page.locator('#problems').innerText(), sentence);
      // Words that the server has seen are not sent back.
      assert.equal(await page.inputValue('#words'), javaScriptEnabled ? words : '');
      assert.match(await page.title(), /^Error: (?!Error).+ - Inquiry Office$/);
    }
  });

/** Returns the summary and every error, with its field and the elements that refer to it. */
function parseProblems(markup: string): string[] {
  const tags =
    /<(?:fieldset|input|textarea|select)[^>]* (?:aria-invalid|aria-describedby="[^"]*-error)[^>]*>/g;
  return [
    /<div id="problems">([\s\S]*?)<\/div>\s*<h1/.exec(markup)?.[1]?.replace(/\s+/g, '') ?? '',
    ...[...markup.matchAll(/<p class="error"[\s\S]*?<\/p>/g)].map(([error]) => error),
    ...[...markup.matchAll(/class="field wrong"/g)].map(([mark]) => mark),
    ...[...markup.matchAll(tags)].map(([tag]) => formatAttributes(tag)),
  ];
}

function formatAttributes(tag: string): string {
  return [...tag.matchAll(/(?:id|aria-\w+)="[^"]*"/g)]
    .map(([attribute]) => attribute)
    .toSorted()
    .join(' ');
}
