import assert from 'node:assert/strict';
import test from 'node:test';
import { generateId } from './ids.ts';

test('ids have 128 bits, are unique and are not ordered', () => {
  const ids = Array.from({ length: 10_000 }, generateId);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => /^[\w-]{22}$/.test(id) && Buffer.from(id, 'base64url').byteLength === 16));
  assert.notDeepEqual(ids.toSorted(), ids);
});
