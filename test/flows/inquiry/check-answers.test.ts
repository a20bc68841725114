/** Writing and checking: no text is cut, errors are shown with their labels, and answers again before sending. */
import assert from 'node:assert/strict';
import { waitUntil } from '#test/patience.ts';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { canaryInquiry, openBuyerTests } from '../buyer.ts';
import { assertPageSoundEverywhere } from '../page-checks.ts';

const shop = await shareTestShop();
const { createBuyer, test } = await openBuyerTests(shop);

test('before it is sent, every answer is shown once more, with a way back to it', async (buyer) => {
  const { page, complaints } = buyer;
  await buyer.fillPaidForm('Dossier');
  const file = { name: 'email.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear you') };
  await page.setInputFiles('#files', file);
  const check = page.getByRole('button', { name: 'Check my answers' });
  await check.click();
  await buyer.waitForTitle('Check your answers');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Check your answers');
  assert.match(await page.title(), /^Check your answers/);
  // Waits for smooth scrolling to end: further down, the bar would cover half of a link.
  const isAtTop = async () => (await page.evaluate<number>('scrollY')) === 0;
  await waitUntil('the answers are shown from the top of the page', isAtTop);
  const shown = await page.locator('#answers dl').innerText();
  for (const text of [...Object.values(canaryInquiry), 'France', 'Possibly', 'email.txt'])
    assert.ok(shown.includes(text), text);
  for (const label of ['What you already have', 'When is it safe to contact you?', 'My purpose is lawful.'])
    assert.ok(shown.includes(label), label);
  assert.ok(!shown.includes('(optional)'));
  assert.ok(!(await page.locator('#question').isVisible()));
  await assertPageSoundEverywhere(page, 'the answers');
  await page.getByRole('link', { name: 'Change: Your question' }).click();
  assert.equal(await page.evaluate('document.activeElement.id'), 'question');
  await page.fill('#question', 'short');
  await check.click();
  await page.locator('#question-error').waitFor();
  await page.fill('#question', canaryInquiry.question);
  await check.click();
  await page.getByRole('button', { name: 'Go back to the form' }).click();
  await buyer.waitForTitle('Tell us your question');
  await page.fill('#background', '');
  await check.click();
  await buyer.waitForTitle('Check your answers');
  assert.match(await page.locator('#answers dl').innerText(), /Left blank\s+What has happened so far\s*$/);
  await page.goBack();
  await buyer.waitForTitle('Tell us your question');
  assert.equal(await page.inputValue('#question'), canaryInquiry.question);
  assert.doesNotMatch(await page.title(), /^Check/);
  await page.goForward();
  await buyer.waitForTitle('Check your answers');
  const release = await buyer.holdRequests('**/inquiry/uploads/**');
  await page.click('#send');
  await page.locator('#progress').waitFor();
  await page.getByRole('button', { name: 'Go back to the form' }).click({ force: true });
  assert.equal(await page.locator('[data-step]:not([inert])').count(), 0, 'what is sent cannot be changed');
  assert.ok(await page.getByRole('heading', { name: 'Check your answers' }).isVisible());
  release();
  await buyer.waitForOpenCase();
  assert.deepEqual(complaints, []);
  await page.goBack();
  assert.match(page.url(), /session_id=/, 'no entry of the form is left');
});

for (const javaScriptEnabled of [true, false])
  test(`${javaScriptEnabled ? 'with' : 'without'} a script a long text is told and not cut, and a link of the error summary shows its label`, async (_buyer, t) => {
    const buyer = await createBuyer(t, { javaScriptEnabled });
    const { page } = buyer;
    await buyer.openPaidForm('Dossier');
    if (javaScriptEnabled) await buyer.confirmWords();
    else await page.waitForLoadState();
    const paid = await page.getByText('Payment received').boundingBox();
    const form = await page.getByRole('heading', { name: 'Tell us your question' }).boundingBox();
    assert.ok(paid && form && paid.y < form.y, 'on a phone the confirmation of the payment comes first');
    assert.equal(await page.locator('#question-count').innerText(), 'Up to 4,000 characters');
    await page.fill('#question', 'q'.repeat(10_000));
    assert.equal((await page.inputValue('#question')).length, 10_000);
    if (javaScriptEnabled)
      assert.equal(await page.locator('#question-count').innerText(), '6,000 characters too many');
    await buyer.send();
    await page.getByRole('link', { name: 'Write at most 4,000 characters; you have 10,000' }).waitFor();
    assert.equal((await page.inputValue('#question')).length, 10_000);
    for (const width of isLongRun ? [390, 1280] : [390]) {
      await page.setViewportSize({ width, height: 780 });
      for (const field of ['subject', 'jurisdiction', 'safety_risk', 'subject_is_protected']) {
        await page.locator(`#problems a[href="#${field}"]`).click();
        const label = page.locator(`.field:has(#${field})`).locator('label, legend').first();
        // Browsers may scroll to the target of a link with a delay.
        await waitUntil(`the label of ${field} is seen`, async () => {
          const box = await label.boundingBox();
          return box && box.y > 0 && box.y < 780;
        });
      }
    }
  });
