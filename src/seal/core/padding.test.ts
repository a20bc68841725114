import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { computePadmeLength, computeSizeClass } from './padding.ts';

const MIB = 1024 * 1024;

test('JSON is padded to the smallest fitting class, and refused above the largest', () => {
  assert.deepEqual(
    [0, 1, 4096, 4097, 16_384, 65_536, 65_537, 262_144].map(computeSizeClass),
    [4096, 4096, 4096, 16_384, 16_384, 65_536, 262_144, 262_144],
  );
  assert.throws(() => computeSizeClass(262_145), { code: 'too_large' });
});

test('Padmé gives the lengths of the paper', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4097, max: 2 ** 30 - 1 }), (length) => {
      const exponent = 31 - Math.clz32(length);
      const mask = 2 ** (exponent - (32 - Math.clz32(exponent))) - 1;
      assert.equal(computePadmeLength(length), (length + mask) & ~mask);
    }),
  );
  assert.deepEqual(
    [0, 4096, 4097, 65_537, 1_000_000, 25 * MIB].map(computePadmeLength),
    [4096, 4096, 4352, 67_584, 1_015_808, 26_214_400],
  );
});
