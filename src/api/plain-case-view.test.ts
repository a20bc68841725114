/** Tests how many messages a response contains, and where the next one continues. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { BuyerCase } from '#cases/messages/buyer-actions.ts';
import { messageKinds } from '#seal/case/message.ts';
import { parseMessageCursor } from './list-pages.ts';
import { toPlainCase } from './plain-case-view.ts';

function createCase(sides: readonly ('buyer' | 'desk')[], size = 100): BuyerCase {
  const counts = { buyer: 0, desk: 0 };
  const messages = sides.map((by) => {
    const seq = counts[by];
    counts[by] += 1;
    const content = { text: `${by} ${seq}`, call_windows: [], call_number: '', call: null, files: [] };
    return { by, seq, at: 0, link: 'linked', said: { content } };
  });
  const objects = messages.map(({ by, seq }) => ({ kind: messageKinds[by], seq, size }));
  const record = { state: 'in_progress' };
  const opened = { record, messages, thread: messages, finding: null, opened: objects };
  return { words: '', file: { objects: [] }, opened } as unknown as BuyerCase;
}

test('long conversations come in pages of both sides, each message once and in order', () => {
  const sides = Array.from({ length: 121 }, (_, index) => (index % 3 === 0 ? 'buyer' : 'desk'));
  const buyerCase = createCase(sides);
  const all: string[] = [];
  let cursor = '0.0';
  for (const size of [50, 50, 21]) {
    const page = toPlainCase(buyerCase, parseMessageCursor(cursor));
    assert.deepEqual([page.messages.length, page.more], [size, size === 50]);
    all.push(...page.messages.map(({ text }) => text));
    cursor = page.cursor;
  }
  assert.equal(new Set(all).size, 121);
  assert.deepEqual(
    all.filter((text) => text.startsWith('desk')),
    Array.from({ length: 80 }, (_, index) => `desk ${index}`),
  );
});

test('a page ends early where messages are long', () => {
  const page = toPlainCase(createCase(Array(40).fill('buyer'), 40_000), { buyer: 0, desk: 0 });
  assert.deepEqual([page.messages.length, page.cursor, page.more], [26, '26.0', true]);
});

test('a cursor beyond the end gives no message and stays where it is', () => {
  const page = toPlainCase(createCase(['desk']), { buyer: 7, desk: 9 });
  assert.deepEqual([page.messages, page.cursor, page.more], [[], '7.9', false]);
});
