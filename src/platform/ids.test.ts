import assert from 'node:assert/strict';
import test from 'node:test';
import { generateId, takeRandomBytes } from './ids.ts';

test('ids have 128 bits, are unique and are not ordered', () => {
  const ids = Array.from({ length: 10_000 }, generateId);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => /^[\w-]{22}$/.test(id) && Buffer.from(id, 'base64url').byteLength === 16));
  assert.notDeepEqual(ids.toSorted(), ids);
});

test('random bytes that were given out do not change, are not given out again and are part of no id', () => {
  const given = Array.from({ length: 2_000 }, (_, index) => {
    const bytes = takeRandomBytes(12);
    const id = index % 3 === 0 ? generateId() : '';
    return { bytes, hex: bytes.toString('hex'), id: Buffer.from(id, 'base64url').toString('hex') };
  });
  assert.ok(given.every(({ bytes, hex }) => bytes.length === 12 && bytes.toString('hex') === hex));
  assert.equal(new Set(given.map(({ hex }) => hex)).size, given.length);
  const ids = given.map(({ id }) => id).join(' ');
  assert.ok(given.every(({ hex }) => !ids.includes(hex)));
});
