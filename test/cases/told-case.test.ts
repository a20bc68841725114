/** The page without a script shows when the service contradicts what the desk has sealed. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deliverSealedFinding, takeBackAnswer, toDeliveryUploader } from '#cases/delivery.ts';
import { readDeskQueue } from '#cases/desk/desk-queue.ts';
import { withdrawCase } from '#cases/states.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { updateToldCase, writeFromDesk, writeToCase } from './conversation.ts';
import { openPlainCase, postFormFields } from './plain-form.ts';
import { openStoredCase, requireCaseByWords } from './stored-case.ts';

const shop = await shareTestShop();

async function readPage(words: string, path = '/case', fields: Record<string, string> = {}): Promise<string> {
  const page = await postFormFields(shop, path, { words, ...fields });
  assert.equal(page.status, 200);
  return page.text;
}

const CONTRADICTION = /Don’t rely on what this page says|isn’t here|taken back/;
const DIFFERENCE = new RegExp(`${CONTRADICTION.source}|is kept for`);

async function deliverFinding(words: string, seq: number, undoMs: number): Promise<void> {
  const { record, key } = await openStoredCase(shop, words);
  const finding = await sealEnvelope(key, { kind: 'finding.v1', seq }, { markdown: `Finding ${seq}` });
  const uploader = toDeliveryUploader(record.id);
  await deliverSealedFinding(shop.services, record.id, { finding, files: [], uploader, seq, undoMs });
}

test('a state or days that the desk has not sealed are told, and what it has sealed contradicts nothing', async () => {
  const words = await openPlainCase(shop);
  const readAs = async (changes: Parameters<typeof updateToldCase>[2]) => {
    await updateToldCase(shop, words, changes);
    return await readPage(words);
  };
  await writeFromDesk(shop, words, 'The court needs more time.', 'retain', 90);
  const kept = await readPage(words);
  assert.match(kept, /With this message the case is kept for 90 days after the answer\./);
  assert.doesNotMatch(kept, /but it is shown as kept/);
  assert.match(
    await readAs({ keep_days: 30 }),
    /kept for 90 days after the answer, but it is shown as kept for 30\./,
  );
  const page = await readAs({ keep_days: 90, state: 'declined' });
  assert.match(page, /it is shown as not accepted, but no message from the investigator says so/);
  await assertValidHtml(page, 'case-difference');
  await updateToldCase(shop, words, { state: 'in_progress' });
  await writeFromDesk(shop, words, 'Which name did she use?', 'ask');
  assert.doesNotMatch(await readPage(words), CONTRADICTION);
  await writeFromDesk(shop, words, 'We cannot help.', 'decline');
  assert.doesNotMatch(await readPage(words), CONTRADICTION);
  assert.match(
    await readAs({ state: 'in_progress', purge_at: null }),
    /message from the investigator says that it was not accepted, but it is shown as if/,
  );
});

test('a finding that was taken back cannot be shown, nor a later one withheld, once the desk has written', async () => {
  const words = await openPlainCase(shop);
  await deliverFinding(words, 0, 600_000);
  const record = await requireCaseByWords(shop, words);
  await writeFromDesk(shop, words, 'Soon.');
  assert.doesNotMatch(await readPage(words), DIFFERENCE, 'nothing tells that a finding is held');
  await takeBackAnswer(shop.services, record.id);
  await writeFromDesk(shop, words, 'A little later.');
  assert.doesNotMatch(await readPage(words), DIFFERENCE);
  // The service resets the number of the finding and shows the first one again.
  await updateToldCase(shop, words, { finding_seq: 0 });
  await deliverFinding(words, 0, 0);
  const page = await readPage(words);
  assert.match(page, /Finding 0/);
  assert.match(page, /Don’t rely on the answer below: .* was taken back/);
});

for (const end of ['declined', 'withdrawn'] as const)
  test(`in a case that was ${end} both sides can write until it is deleted, and the desk sees who wrote last`, async () => {
    const words = await openPlainCase(shop);
    const read = async () => {
      const { state, awaiting_reply_since: since } = await requireCaseByWords(shop, words);
      return [state, since !== null];
    };
    const { id } = await requireCaseByWords(shop, words);
    await writeToCase(shop, words, 'buyer', 'Before the end.');
    if (end === 'declined') await writeFromDesk(shop, words, 'We are sorry.', 'decline');
    else await withdrawCase(shop.services, id);
    assert.deepEqual(await read(), [end, false]);
    const question = { message: 'Where is my refund?', seq: '1', seen: '1' };
    assert.match(await readPage(words, '/case/message', question), /Your message was sent/);
    assert.deepEqual(await read(), [end, true]);
    const viewer = { investigator: 'anna', isOwner: false, hasLeft: () => false, page: { limit: 500 } };
    const { cases } = await readDeskQueue(shop.services, { ...viewer, view: 'unanswered' });
    assert.ok(cases.find(({ record }) => record.id === id)?.acts.includes('message'));
    await writeFromDesk(shop, words, 'On its way.');
    const page = await readPage(words);
    assert.match(page, /On its way\./);
    assert.match(page, /<form [^>]*id="write"(?![^>]* hidden)/, 'the form for a message is there');
    assert.doesNotMatch(page, DIFFERENCE);
    assert.deepEqual(await read(), [end, false]);
  });
