/** What a buyer came for is on the first screen of a phone, even with a long conversation. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { createCallTimes } from '#test/cases/call-times.ts';
import { writeToCase } from '#test/cases/conversation.ts';
import { openPlainCase, plainFormFields } from '#test/cases/plain-form.ts';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBuyerTests } from '../buyer.ts';
import { askFromDesk, deliverFindingFromDesk } from '../desk-side.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const shop = await shareTestShop();
const { createBuyer, test } = await openBuyerTests(shop);

const PHONE = { width: 390, height: 844 };
/** The maximum height of the page of a delivered case, with a long answer and a conversation. */
const MAX_DELIVERED_PX = 5_000;
const QUESTION = 'Where did you meet her, and who was there?';

// In the longer of the two languages, if in one.
for (const locale of isLongRun ? ['en-US', 'es-MX'] : ['es-MX'])
  test(`in ${locale} the question and then the answer come before everything else`, async (_buyer, t) => {
    const words = await openPlainCase(shop, 'Dossier', { ...plainFormFields, ...createCallTimes().fields });
    for (const round of ['first', 'second', 'third']) {
      await askFromDesk(shop, words, `A ${round} question: when?`);
      await writeToCase(shop, words, 'buyer', `A ${round} answer, with a sentence or two about it.`);
    }
    await askFromDesk(shop, words, QUESTION, { callAct: 'offer' });
    const buyer = await createBuyer(t, { locale, viewport: PHONE });
    const { page } = buyer;
    const question = page.getByText(QUESTION);
    await buyer.openCase(words);
    await question.waitFor();
    assert.ok(
      (await findBottom(page, '.entry.desk:last-child .said')) < PHONE.height,
      'the question is seen',
    );
    assert.ok(await page.locator('[data-part=earlier] .entry').first().isHidden());
    assert.ok(await page.locator('#call').isHidden(), 'the call can wait');
    await assertFits(page, 'the case with a question');
    const printed = page.locator('.prints:not(:empty)');
    assert.equal(await printed.count(), 1, 'what was sent is printed alone');
    assert.equal(await printed.getAttribute('data-slot'), 'inquiry');

    await page.fill('#message', 'At the fair.');
    await page.locator('#write button').click();
    const news = page.locator('[data-slot=news]');
    await news.waitFor();
    const sample = await readFile(new URL('../../../content/sample.md', import.meta.url), 'utf8');
    const proof = { name: 'register.pdf', mime: 'application/pdf', content: Buffer.alloc(9_000) };
    await deliverFindingFromDesk(shop, words, sample, [proof]);
    await page.locator('#look').click();
    await page.locator('.paper').waitFor();
    assert.ok(await news.isHidden(), 'what was said of an earlier act is gone');

    await buyer.openCase(words);
    await page.locator('.paper').waitFor();
    assert.ok((await findBottom(page, '.paper > :nth-child(2)')) < PHONE.height, 'the answer is seen');
    const length = await page.evaluate<number>('document.documentElement.scrollHeight');
    assert.ok(length <= MAX_DELIVERED_PX, `${length} pixels`);
    await assertFits(page, 'the delivered case');
    assert.equal(await printed.getAttribute('data-slot'), 'finding');
    for (const part of await page.locator('.fold > summary').all()) await part.click();
    await assertPageSoundEverywhere(page, 'the delivered case with every part open');
  });

async function findBottom(page: Page, selector: string): Promise<number> {
  const box = await page.locator(selector).last().boundingBox();
  assert.ok(box, selector);
  return box.y + box.height;
}

/** Checks text at twice its size, and a large screen magnified four times. */
async function assertFits(page: Page, name: string): Promise<void> {
  const readOverflow = async () =>
    await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
  assert.ok((await readOverflow()) <= 0, `${name} with large text`);
  await page.evaluate(`document.documentElement.style.fontSize = ''`);
  await page.setViewportSize({ width: 320, height: 256 });
  assert.ok((await readOverflow()) <= 0, `${name} magnified`);
  const bar = await page.locator('.out').boundingBox();
  assert.ok((bar?.height ?? 0) <= 64, 'the bar leaves room to read');
  await page.setViewportSize(PHONE);
}
