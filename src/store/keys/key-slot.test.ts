/** A slot reads as written, or as damaged; a freed slot contains nothing of its key. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { generateId } from '#platform/text/ids.ts';
import { decodeSlot, encodeSlot, isSlotReusable, SLOT_BYTES } from './key-slot.ts';

const id = generateId();
const key = randomBytes(32);

test('a slot is read as it was written, in its own place only', () => {
  assert.deepEqual(decodeSlot(7, encodeSlot(7, { id, key })), { state: 'taken', id, key });
  assert.deepEqual(decodeSlot(7, encodeSlot(7, { id, freedOn: 20_000 })), {
    state: 'freed',
    id,
    freedOn: 20_000,
  });
  assert.deepEqual(decodeSlot(7, Buffer.alloc(SLOT_BYTES)), { state: 'unused' });
  assert.equal(decodeSlot(8, encodeSlot(7, { id, key })).state, 'damaged');
});

test('any torn or changed write is noticed and never reusable', () => {
  const taken = encodeSlot(7, { id, key });
  const freed = encodeSlot(7, { id, freedOn: 1 });
  for (const [from, to] of [
    [Buffer.alloc(SLOT_BYTES), taken],
    [taken, freed],
  ] as const)
    for (let at = 1; at < SLOT_BYTES; at += 1)
      for (const torn of [
        Buffer.concat([to.subarray(0, at), from.subarray(at)]),
        Buffer.concat([from.subarray(0, at), to.subarray(at)]),
      ]) {
        if (torn.equals(from) || torn.equals(to)) continue;
        assert.equal(decodeSlot(7, torn).state, 'damaged');
        assert.equal(isSlotReusable(7, torn, 30_000), false);
      }
  for (let at = 0; at < SLOT_BYTES; at += 1) {
    const changed = Buffer.from(taken);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    assert.equal(decodeSlot(7, changed).state, 'damaged');
  }
});

test('a freed slot has neither the key nor the checksum over it', () => {
  const taken = encodeSlot(7, { id, key });
  const freed = encodeSlot(7, { id, freedOn: 20_000 });
  assert.ok(freed.subarray(24, 56).equals(Buffer.alloc(32)));
  assert.ok(!freed.subarray(56).equals(taken.subarray(56)));
});
