/** The page without a script reports a message that was removed from the store, and the conversation can continue. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { countMessages, listUnreadMessages } from '#cases/messages/messages.ts';
import { messageKinds } from '#seal/case/message.ts';
import { computeKeyFingerprint } from '#seal/core/case-key.ts';
import type { StoredObject } from '#store/cases/objects.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import { shareTestShop } from '#test/test-shop.ts';
import {
  deleteStoredMessage,
  GAP_IN_ITS_PLACE,
  listLinks,
  writeRiskyConversation,
  writeToCase,
} from './conversation.ts';
import { openPlainCase, postFormFields } from './plain-form.ts';
import { openStoredCase } from './stored-case.ts';

const shop = await shareTestShop();

/** Reads the hidden fields that the page sends with the next message. */
function readShownCounts(page: string) {
  const readField = (name: string) => new RegExp(`name="${name}" value="(\\d+)"`).exec(page)?.[1] ?? '';
  return { seq: readField('seq'), seen: readField('seen') };
}

test('an answer that was deleted leaves a gap after its question, and both sides can write on', async () => {
  const words = await openPlainCase(shop);
  await writeRiskyConversation(shop, words);
  const whole = await postFormFields(shop, '/case', { words });
  assert.doesNotMatch(whole.text, /missing|Can’t be checked|Written before|Do not rely/);
  await deleteStoredMessage(shop, words, 'buyer', 1);
  const page = await postFormFields(shop, '/case', { words });
  assert.equal(page.status, 200);
  assert.match(page.text, GAP_IN_ITS_PLACE);
  assert.doesNotMatch(page.text, /NEVER contact him/);
  await assertValidHtml(page.text, 'case-gap');
  assert.deepEqual(readShownCounts(page.text), { seq: '3', seen: '2' });
  const message = 'I wrote that you must never contact him.';
  const answered = await postFormFields(shop, '/case/message', {
    words,
    message,
    ...readShownCounts(page.text),
  });
  assert.match(answered.text, /Your message was sent/);
  await writeToCase(shop, words, 'desk', 'Understood.');
  assert.deepEqual(await listLinks(shop, words), [
    'desk 0 linked',
    'buyer 0 linked',
    'desk 1 linked',
    'buyer 2 after_gap',
    'buyer 3 linked',
    'desk 2 linked',
  ]);
});

test('a deleted last message is missed once the other side has written, and a new one cannot take its place', async () => {
  const words = await openPlainCase(shop);
  await writeToCase(shop, words, 'buyer', 'Do not call me.');
  await writeToCase(shop, words, 'desk', 'We will not.');
  await deleteStoredMessage(shop, words, 'buyer', 0);
  assert.match(
    (await postFormFields(shop, '/case', { words })).text,
    /Message 1 is missing\..*We will not\./s,
  );
  await writeToCase(shop, words, 'buyer', 'Please call me.');
  const page = await postFormFields(shop, '/case', { words });
  assert.match(
    page.text,
    /We will not\..*saw different messages above it from the ones you see.*Please call me\./s,
  );
  await assertValidHtml(page.text, 'case-altered');
});

test('an answer from a page that did not show the last question, or does not tell, is marked and is no alarm', async () => {
  const words = await openPlainCase(shop);
  await writeToCase(shop, words, 'desk', 'May we write to him?');
  const shown = readShownCounts((await postFormFields(shop, '/case', { words })).text);
  await writeToCase(shop, words, 'desk', 'Or rather call him?');
  const answered = await postFormFields(shop, '/case/message', { words, message: 'Yes, do.', ...shown });
  assert.match(answered.text, /Yes, do\..*Written before the other side’s message above was read\./s);
  assert.deepEqual(await listLinks(shop, words), ['desk 0 linked', 'desk 1 linked', 'buyer 0 crossed']);
  for (const [index, seen] of ['999', '1e3', 'x'.repeat(5_000)].entries()) {
    const text = `Sent by an unusual form ${index}.`;
    assert.equal((await postFormFields(shop, '/case/message', { words, message: text, seen })).status, 200);
  }
  assert.deepEqual((await listLinks(shop, words)).slice(3), [
    'buyer 1 linked',
    'buyer 2 crossed',
    'buyer 3 crossed',
  ]);
});

test('the page shows the fingerprint of the case key', async () => {
  const words = await openPlainCase(shop);
  const { key } = await openStoredCase(shop, words);
  const page = await postFormFields(shop, '/case', { words });
  const shown = `<summary>Key fingerprint</summary><p>${computeKeyFingerprint(key.recipient)}</p>`;
  assert.ok(page.text.includes(shown));
});

test('pages of messages go past a missing one, and its number is not given again', () => {
  const createObject = (by: 'buyer' | 'desk', seq: number): StoredObject => {
    const id = `${by} ${seq}`;
    return { id, kind: messageKinds[by], seq, size: 0, keptAt: seq };
  };
  const objects = [createObject('buyer', 0), createObject('buyer', 2), createObject('desk', 1)];
  assert.deepEqual(countMessages(objects), { buyer: 3, desk: 2 });
  const listed: string[] = [];
  for (let read = { buyer: 0, desk: 0 }, more = true; more; ) {
    const page = listUnreadMessages(objects, read, { limit: 1, maxBytes: Infinity });
    listed.push(...page.messages.map(({ object }) => object.id));
    ({ read, more } = page);
    assert.ok(listed.length <= objects.length, 'no message comes twice');
  }
  assert.deepEqual(listed, ['buyer 0', 'desk 1', 'buyer 2']);
  assert.deepEqual(
    listUnreadMessages(objects, { buyer: 9, desk: 9 }, { limit: 1, maxBytes: Infinity }).read,
    { buyer: 9, desk: 9 },
  );
});
