/** A long case without a script: messages are opened and shown in pages, and all are checked. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { assertValidHtml } from '#test/site/markup.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { deleteStoredMessage, listLinks, openWithWords, writeToCase } from './conversation.ts';
import { openPlainCase, postFormFields } from './plain-form.ts';
import { addSealedMessage } from './sealed-message.ts';

const shop = await shareTestShop();
const words = await openPlainCase(shop);
await writeLongConversation();

/** Writes forty-two messages, of which the last two are linked to all before them. */
async function writeLongConversation(): Promise<void> {
  const { id, key } = await openWithWords(shop, words);
  for (let number = 0; number < 40; number += 1) {
    const by = number < 4 ? 'desk' : 'buyer';
    const seq = number < 4 ? number : number - 4;
    await addSealedMessage(shop.services, { id, key }, { by, seq }, { text: `Number ${number}.` });
  }
  await writeToCase(shop, words, 'buyer', 'Number 40.');
  await writeToCase(shop, words, 'desk', 'Number 41.');
}

async function postForm(path: string, fields: Record<string, string>): Promise<string> {
  const { status, text } = await postFormFields(shop, path, { words, ...fields });
  assert.equal(status, 200, text);
  return text;
}

function listNumbers(page: string): number[] {
  return [...page.matchAll(/Number (\d+)\./g)].map(([, number]) => Number(number));
}

function readField(page: string, name: string): string | undefined {
  return new RegExp(`name="${name}" value="([1-9]\\d*)"`).exec(page)?.[1];
}

test('each page opens and shows some messages, and leads to all of them', async (t) => {
  const { sealing } = shop.services;
  const opening = t.mock.method(sealing, 'openReadObjects');
  const shown: number[][] = [];
  for (let newer: string | undefined = '0'; newer !== undefined; ) {
    opening.mock.resetCalls();
    const page = await postForm('/case', { newer });
    const opened = opening.mock.calls.reduce((sum, call) => sum + call.arguments[1].length, 0);
    assert.ok(opened <= 26, `${opened} parts were opened`);
    assert.doesNotMatch(page, /Left out|Do not rely|missing/);
    await assertValidHtml(page, `case-after-${newer}-newer`);
    shown.unshift(listNumbers(page));
    newer = /Show older messages/.test(page) ? readField(page, 'newer') : undefined;
  }
  assert.deepEqual(
    shown.map(({ length }) => length),
    [2, 20, 20],
  );
  assert.deepEqual(
    shown.flat(),
    Array.from({ length: 42 }, (_, number) => number),
  );
});

test('an answer from a page of older messages does not claim to have read the newest', async () => {
  const older = await postForm('/case', { newer: '20' });
  assert.match(older, /Show the newest messages/);
  assert.equal(readField(older, 'seen'), '4');
  const newest = await postForm('/case/message', { message: 'Number 42.', seq: '37', seen: '4' });
  assert.deepEqual(listNumbers(newest).at(-1), 42);
  assert.equal((await listLinks(shop, words)).at(-1), 'buyer 37 crossed');
});

test('a message that is gone from the older ones is missed on the newest page', async () => {
  await deleteStoredMessage(shop, words, 'buyer', 3);
  assert.match(await postForm('/case', {}), /Message 4 is missing\./);
});

test('what is no number of messages shows the newest', async () => {
  for (const newer of ['1e2', '9999'])
    assert.equal(listNumbers(await postForm('/case', { newer })).at(-1), 42);
});
