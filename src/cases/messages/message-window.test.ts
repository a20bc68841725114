import assert from 'node:assert/strict';
import test from 'node:test';
import type { StoredObject } from '#store/cases/objects.ts';
import { countReadObjects, createReadCursor } from './message-window.ts';

const objects = ['a', 'b', 'c', 'd'].map(
  (id, seq): StoredObject => ({ id, kind: 'buyer-message.v1', seq, size: 1, keptAt: seq }),
);

test('a cursor covers what was sent, also when more has come', () => {
  for (const count of [1, 2, 4])
    assert.equal(countReadObjects(objects, createReadCursor(objects.slice(0, count))), count);
});

test('a cursor is void when something before it has gone, come or changed places', () => {
  const cursor = createReadCursor(objects.slice(0, 3));
  const [first, second, third, fourth] = objects as [StoredObject, StoredObject, StoredObject, StoredObject];
  assert.equal(countReadObjects([first, third, fourth], cursor), 0);
  assert.equal(countReadObjects([first, fourth, second, third], cursor), 0);
  assert.equal(countReadObjects([second, first, third], cursor), 0);
  assert.equal(countReadObjects([first, second], cursor), 0);
});

test('what is no cursor covers nothing', () => {
  const [, hash] = createReadCursor(objects).split('.');
  const forged = [
    `3.${hash}`,
    `-4.${hash}`,
    `4.9.${hash}`,
    `04.${hash}`,
    `4 .${hash}`,
    `1e9.${hash}`,
    'NaN.',
  ];
  for (const text of [undefined, '', '4', hash, ...forged]) assert.equal(countReadObjects(objects, text), 0);
});
