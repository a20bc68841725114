/** The pairing in the first page survives a write that is torn at any byte. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { generateId } from '#platform/text/ids.ts';
import { createFirstPage, decodePairing, isFirstPage, listPairingWrites } from './key-slots-page.ts';
import type { Pairing } from './shred-keys.ts';

function writePairing(page: Buffer, pairing: Pairing): Buffer {
  const changed = Buffer.from(page);
  for (const { bytes, offset } of listPairingWrites(page, pairing)) changed.set(bytes, offset);
  return changed;
}

test('a new page has no pairing, and one that was written is read back', () => {
  const page = createFirstPage();
  assert.ok(isFirstPage(page));
  assert.equal(decodePairing(page), null);
  const id = generateId();
  let written: Buffer = page;
  for (const counter of [0, 1, 2, 3]) {
    written = writePairing(written, { id, counter });
    assert.deepEqual(decodePairing(written), { id, counter });
  }
  const renewed = { id: generateId(), counter: 0 };
  assert.deepEqual(decodePairing(writePairing(written, renewed)), renewed);
  assert.ok(isFirstPage(written));
});

test('a write that is torn at any byte leaves the former pairing, or none where another began', () => {
  const former = { id: generateId(), counter: 7 };
  const page = writePairing(writePairing(createFirstPage(), { ...former, counter: 6 }), former);
  for (const next of [
    { ...former, counter: 8 },
    { id: generateId(), counter: 0 },
  ]) {
    const torn = Buffer.from(page);
    const allowed = [former, next, ...(next.id === former.id ? [] : [{ ...former, counter: 6 }, null])];
    for (const { bytes, offset } of listPairingWrites(page, next))
      for (const [index, byte] of bytes.entries()) {
        torn[offset + index] = byte;
        const read = decodePairing(torn);
        assert.ok(
          allowed.some((each) => each?.id === read?.id && each?.counter === read?.counter),
          JSON.stringify(read),
        );
      }
    assert.deepEqual(decodePairing(torn), next);
  }
});
