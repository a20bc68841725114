/** Installation id and generation in the first page survive a write that is torn at any byte. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { generateId } from '#platform/text/ids.ts';
import {
  createFirstPage,
  decodeInstallation,
  isFirstPage,
  listInstallationWrites,
} from './key-slots-page.ts';
import type { Installation } from './shred-keys.ts';

function writeInstallation(page: Buffer, installation: Installation): Buffer {
  const changed = Buffer.from(page);
  for (const { bytes, offset } of listInstallationWrites(page, installation)) changed.set(bytes, offset);
  return changed;
}

test('a new page has no installation id, and one that was written is read back', () => {
  const page = createFirstPage();
  assert.ok(isFirstPage(page));
  assert.equal(decodeInstallation(page), null);
  const id = generateId();
  let written: Buffer = page;
  for (const generation of [0, 1, 2, 3]) {
    written = writeInstallation(written, { id, generation });
    assert.deepEqual(decodeInstallation(written), { id, generation });
  }
  const renewed = { id: generateId(), generation: 0 };
  assert.deepEqual(decodeInstallation(writeInstallation(written, renewed)), renewed);
  assert.ok(isFirstPage(written));
});

test('a write that is torn at any byte leaves the previous generation, or none where another id began', () => {
  const previous = { id: generateId(), generation: 7 };
  const page = writeInstallation(
    writeInstallation(createFirstPage(), { ...previous, generation: 6 }),
    previous,
  );
  for (const next of [
    { ...previous, generation: 8 },
    { id: generateId(), generation: 0 },
  ]) {
    const torn = Buffer.from(page);
    const allowed = [
      previous,
      next,
      ...(next.id === previous.id ? [] : [{ ...previous, generation: 6 }, null]),
    ];
    for (const { bytes, offset } of listInstallationWrites(page, next))
      for (const [index, byte] of bytes.entries()) {
        torn[offset + index] = byte;
        const read = decodeInstallation(torn);
        assert.ok(
          allowed.some((each) => each?.id === read?.id && each?.generation === read?.generation),
          JSON.stringify(read),
        );
      }
    assert.deepEqual(decodeInstallation(torn), next);
  }
});
