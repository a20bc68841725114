/** The case page when things go wrong: lost responses, taken numbers, damaged parts, and confirmation before an end. */

import assert from 'node:assert/strict';
import type { Route } from 'playwright-core';
import { deliverSealedFinding, toDeliveryUploader } from '#cases/delivery.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { english } from '#language/languages.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { listLinks } from '#test/cases/conversation.ts';
import { openPaidForm, openPlainCase, postFormFields } from '#test/cases/plain-form.ts';
import { createSealedUpload, sealInquiryForm, sendSealedForm } from '#test/cases/sealed-form.ts';
import { findCaseByWords } from '#test/cases/stored-case.ts';
import { isLongRun } from '#test/scale.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { type BrowserBuyer, openBuyerTests } from '../buyer.ts';
import { askFromDesk, deliverFindingFromDesk, readMessagesAtDesk } from '../desk-side.ts';

const shop = await shareTestShop();
const { createBuyer, test } = await openBuyerTests(shop);

/** Opens a new case, with a button to send messages. */
async function openNewCase(buyer: BrowserBuyer): Promise<string> {
  const words = await openPlainCase(shop);
  await buyer.openCase(words);
  return words;
}

test('a message whose answers get lost is there once, and goes each time as the same bytes', async (buyer) => {
  const { page } = buyer;
  const words = await openNewCase(buyer);
  const bodies: (string | null)[] = [];
  await page.route('**/case/sealed/message', async (route) => {
    bodies.push(route.request().postData());
    if (bodies.length > 2) return await route.continue();
    await route.fetch();
    return await route.abort('connectionreset');
  });
  await buyer.write('I am safe.');
  assert.equal(bodies.length, 3);
  assert.equal(new Set(bodies).size, 1);
  assert.deepEqual(await readMessagesAtDesk(shop, words), ['I am safe.']);
  assert.equal(await page.locator('.entry').count(), 1);
});

test('after each act the page is sent what is new, and everything again if something did not arrive whole', async (buyer) => {
  const { page } = buyer;
  const words = await openNewCase(buyer);
  const sent: { after: boolean; objects: number }[] = [];
  let damage = false;
  await page.route('**/case/sealed/message', async (route) => {
    const request = route.request().postDataJSON() as { after?: string };
    const answer = await fetchSealedAnswer(route);
    const { objects } = answer;
    sent.push({ after: request.after !== undefined, objects: objects.length });
    const damaged = objects.map(({ sealed = '', ...object }) => ({
      ...object,
      sealed: flipSealedBit(sealed),
    }));
    await route.fulfill({ json: damage ? { ...answer, objects: damaged } : answer });
  });
  await buyer.write('One.');
  await askFromDesk(shop, words, 'And then?');
  await buyer.write('Two.');
  assert.deepEqual(await page.locator('.entry .said').allInnerTexts(), ['One.', 'And then?', 'Two.']);
  assert.equal(await page.locator('.entry.linked, .entry.crossed').count(), 3);
  damage = true;
  await buyer.write('Three.');
  assert.equal(await page.locator('.entry .said.error').count(), 1);
  damage = false;
  await buyer.write('Four.');
  assert.equal(await page.locator('.entry .said.error').count(), 0);
  assert.deepEqual(sent, [
    { after: true, objects: 1 },
    { after: true, objects: 2 },
    { after: true, objects: 1 },
    { after: false, objects: 6 },
  ]);
  // The page had a different third message.
  assert.deepEqual(await listLinks(shop, words), [
    'buyer 0 linked',
    'desk 0 linked',
    'buyer 1 crossed',
    'buyer 2 linked',
    'buyer 3 altered',
  ]);
});

if (isLongRun)
  test('a place that another window has taken is left to it: both messages are there, in their order', async (one, t) => {
    const words = await openNewCase(one);
    const other = await createBuyer(t);
    await other.openCase(words);
    await one.write('From my phone.');
    await other.write('From my desk.');
    assert.deepEqual(await readMessagesAtDesk(shop, words), ['From my phone.', 'From my desk.']);
    assert.deepEqual(await listLinks(shop, words), ['buyer 0 linked', 'buyer 1 linked']);
    assert.equal(await other.page.locator('.entry').count(), 2);
  });

test('what does not reach the service stays typed, with the reason at its field, in words for people', async (buyer) => {
  const { page } = buyer;
  const words = await openNewCase(buyer);
  await page.fill('#message', 'Please wait.');
  for (const [code, sentence] of [
    ['not_sealed', 'problem.client'],
    ['sealing_keys_changed', 'problem.sealing_keys_changed'],
    ['unheard_of', 'problem.client'],
  ] as const) {
    await buyer.refuseRequests('**/case/sealed/message', 409, code);
    await page.locator('#write button').click();
    await page.locator('#message-error', { hasText: english[sentence] }).waitFor();
    assert.doesNotMatch(await page.locator('main').innerText(), /Retry-After/);
    await page.unroute('**/case/sealed/message');
  }
  assert.equal(await page.inputValue('#message'), 'Please wait.');
  assert.ok(await page.locator('#write button').isEnabled());
  await page.locator('#write button').click();
  await page.getByText('Your message was sent.').waitFor();
  assert.deepEqual(await readMessagesAtDesk(shop, words), ['Please wait.']);
});

test('what was changed or put in the place of another says so, everything else is shown; with a damaged key the page still says where the case stands', async (buyer) => {
  const { page } = buyer;
  const words = await openPlainCase(shop);
  for (const text of ['First question?', 'Second question?', 'Third question?'])
    await askFromDesk(shop, words, text);
  await page.route('**/case/sealed', async (route) => {
    const { objects, ...rest } = await fetchSealedAnswer(route);
    const [first, second, third] = objects.filter(({ kind }) => kind === 'desk-message.v1');
    if (!first || !second || !third) throw new Error('three messages were asked for');
    first.sealed = flipSealedBit(first.sealed ?? '');
    second.sealed = third.sealed;
    await route.fulfill({ json: { ...rest, objects } });
  });
  await buyer.openCase(words);
  await page.getByText('Third question?').waitFor();
  const said = await page.locator('.said').allInnerTexts();
  assert.match(said[0] ?? '', /^It was damaged, or changed/);
  assert.match(said[1] ?? '', /^It belongs to another place/);
  assert.equal(said[2], 'Third question?');
  assert.match(await page.locator('[data-slot=inquiry]').innerText(), /CANARY-QUESTION/);
  await page.unroute('**/case/sealed');
  await page.route('**/case/sealed', async (route) => {
    const answer = await fetchSealedAnswer(route);
    await route.fulfill({ json: { ...answer, case_key: flipSealedBit(answer.case_key) } });
  });
  await buyer.openCase(words);
  const damages = await page.locator('.error:visible').allInnerTexts();
  assert.equal(damages.length, 4);
  for (const sentence of damages) assert.match(sentence, /^It was damaged, or changed/);
  assert.ok(await page.locator('#write').isHidden());
  await buyer.openPart('Delete this case');
  assert.ok(await page.locator('#keep').isVisible());
});

test('of what is sealed in an unknown form only the length is told, with and without a script', async (buyer) => {
  const form = await openPaidForm(shop);
  const sealed = await sealInquiryForm(shop, form);
  const { key, words } = sealed;
  const sealOddBody = async (kind: SealedKind) => await sealEnvelope(key, { kind, seq: 0 }, { odd: kind });
  const inquiry = createSealedUpload(await sealOddBody('inquiry.v1'));
  assert.equal((await sendSealedForm(shop, form, { ...sealed, inquiry })).status, 200);
  const id = (await findCaseByWords(shop, words))?.id ?? '';
  const message = await sealOddBody('desk-message.v1');
  await addCaseMessage(shop.services, id, { by: 'desk', seq: 0, sealed: message });
  await deliverSealedFinding(shop.services, id, {
    finding: await sealOddBody('finding.v1'),
    files: [],
    uploader: toDeliveryUploader(id),
  });

  await buyer.openCase(words);
  const plain = await postFormFields(shop, '/case', { words });
  const shown = [await buyer.page.locator('.error:visible').allInnerTexts(), readErrorNotes(plain.text)];
  for (const [finding, written, told, ...others] of shown) {
    const toLine = (bytes: number) =>
      `Not in the form that this service writes, so it is not shown (${bytes} bytes).`;
    assert.deepEqual([finding, written, told, ...others], [toLine(20), toLine(25), toLine(20)]);
  }
});

test('a file that was damaged is not saved, and says why; loaded again it is', async (buyer) => {
  const { page } = buyer;
  const words = await openPlainCase(shop);
  const content = Buffer.alloc(500_000, 'proof ');
  await deliverFindingFromDesk(shop, words, '', [{ name: 'proof.txt', mime: 'text/plain', content }]);
  await buyer.openCase(words);
  let downloads = 0;
  page.on('download', () => {
    downloads += 1;
  });
  const status = page.locator('.files [role=status]');
  const save = page.getByRole('button', { name: 'Save proof.txt, 488 KB' });
  const answers: [how: (body: Buffer) => Buffer, sentence: string][] = [
    [(body) => body.with(400_000, (body[400_000] ?? 0) ^ 1) as Buffer, 'It was damaged'],
    [(body) => body.subarray(0, 300_000), 'It did not arrive in full'],
  ];
  for (const [how, sentence] of answers) {
    await page.route('**/case/sealed/file', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        status: 200,
        contentType: 'application/octet-stream',
        body: Buffer.from(how(await answer.body())),
      });
    });
    await save.click();
    await status.getByText(sentence).waitFor();
    await page.unroute('**/case/sealed/file');
  }
  assert.equal(downloads, 0);
  await Promise.all([page.waitForEvent('download'), save.click()]);
  await status.getByText('Checked and saved.').waitFor();
});

test('a case is withdrawn and erased only on purpose, and then nothing of it is left', async (buyer) => {
  const { page, complaints } = buyer;
  const words = await openNewCase(buyer);
  await page.fill('#message', 'I wanted to say');
  await buyer.openPart('Delete this case');
  const money = /^No investigator has opened your case\. You get a full refund\./;
  assert.match(await page.locator('#withdraw').innerText(), money, 'said before it is done');
  await page.locator('#withdraw button').click();
  await page.locator('#withdraw_sure-error').waitFor();
  assert.match(await page.locator('#withdraw_sure-error').innerText(), /Tick this if you want to withdraw/);
  assert.equal((await findCaseByWords(shop, words))?.state, 'received');
  await page.check('#withdraw_sure');
  await page.locator('#withdraw button').click();
  await page.getByText('Your case is withdrawn.').waitFor();
  await buyer.waitForTitle('You withdrew this case');
  assert.equal((await findCaseByWords(shop, words))?.state, 'withdrawn');
  assert.match(await page.locator('.money').innerText(), money);
  await buyer.write('When will I see it?');

  await page.fill('#erase', 'perhaps');
  await page.locator('#purge button').click();
  await page.locator('#erase-error').waitFor();
  assert.match(
    await page.locator('#erase-error').innerText(),
    /Type DELETE if you want to delete everything/,
  );
  await page.fill('#erase', ' delete ');
  await page.locator('#purge button').click();
  await buyer.waitForTitle('Everything was deleted');
  assert.equal(await page.title(), 'Everything was deleted - Inquiry Office');
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
  assert.equal(await findCaseByWords(shop, words), undefined);
  const leaves = `dispatchEvent(new Event('beforeunload', { cancelable: true }))`;
  assert.ok(await page.evaluate(leaves), 'nothing is left to lose');
  assert.deepEqual(complaints, []);
});

if (isLongRun)
  test('what the case no longer allows is told above the case as it is now', async (buyer) => {
    const { page } = buyer;
    const words = await openPlainCase(shop);
    await askFromDesk(shop, words, 'שלום');
    await buyer.openCase(words);
    const direction = await page.evaluate(
      "getComputedStyle(document.querySelector('.entry .said')).direction",
    );
    assert.equal(direction, 'rtl', 'what people wrote has its own direction');
    await deliverFindingFromDesk(shop, words, 'Found.', []);
    await buyer.openPart('Delete this case');
    await page.check('#withdraw_sure');
    await page.locator('#withdraw button').click();
    await buyer.waitForTitle('Your answer is here');
    assert.match(await page.locator('[data-slot=news]').innerText(), /^Your case has moved on since/);
    assert.ok(await page.locator('.paper').isVisible());
    assert.ok(await page.locator('#withdraw').isHidden());
  });

interface SealedAnswer {
  readonly case_key: string;
  readonly objects: { kind: string; sealed?: string | undefined }[];
}

async function fetchSealedAnswer(route: Route): Promise<SealedAnswer> {
  return (await (await route.fetch()).json()) as SealedAnswer;
}

function readErrorNotes(page: string): string[] {
  return [...page.matchAll(/class="[^"]*\berror"[^>]*>([^<]*)</g)].map(([, text = '']) =>
    text.replaceAll('&quot;', '"'),
  );
}

/** Flips one bit of the sealed content, after the header. */
function flipSealedBit(sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  bytes[3_000] = (bytes[3_000] ?? 0) ^ 1;
  return bytes.toString('base64url');
}
