import assert from 'node:assert/strict';
import test from 'node:test';
import { CAPPED_KINDS, computeCap, computeFloor, isBelowFloor, storageCaps } from './storage-caps.ts';

const MIB = 1024 ** 2;

test('the floor is 256 MiB, or a fifth of a smaller disk', () => {
  assert.equal(computeFloor(1024 ** 4), 256 * MIB);
  assert.equal(computeFloor(5 * 256 * MIB), 256 * MIB);
  assert.equal(computeFloor(40 * MIB), 8 * MIB);
});

test('on a small disk the caps shrink, so that together with the floor they leave room for cases', () => {
  for (const kind of CAPPED_KINDS) {
    assert.deepEqual(computeCap(kind, null), storageCaps[kind]);
    assert.deepEqual(computeCap(kind, 1024 ** 4), storageCaps[kind]);
  }
  for (const disk of [40 * MIB, 200 * MIB, 1024 * MIB]) {
    const together = CAPPED_KINDS.reduce((sum, kind) => sum + computeCap(kind, disk).bytes, 0);
    assert.ok(together <= disk / 2 + CAPPED_KINDS.length, `${together} of ${disk}`);
  }
});

test('pages that the database has emptied count as free, but not for the log', () => {
  const disk = { total: 40 * MIB, free: 5 * MIB, reusable: 10 * MIB };
  assert.equal(isBelowFloor(disk, 0, 1), false);
  assert.equal(isBelowFloor({ ...disk, reusable: 2 * MIB }, 0, 1), true);
  assert.equal(isBelowFloor({ ...disk, free: 3 * MIB }, 0, 1), true);
  assert.equal(isBelowFloor({ ...disk, free: 3 * MIB }, 0, 1 / 2), false);
  assert.equal(isBelowFloor(disk, MIB, 1), true, 'a write takes its room twice for a while');
});
