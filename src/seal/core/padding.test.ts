import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { computePadmeLength, computeSizeClass, PADDING_SIZE_CLASSES } from './padding.ts';

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
    [4097, 65_537, 1_000_000, 25 * MIB].map(computePadmeLength),
    [4352, 67_584, 1_015_808, 26_214_400],
  );
});

test('a padded length is never shorter, at most 12 % longer, stable and monotonic', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4096, max: 200 * MIB }), fc.nat(1000), (length, more) => {
      const padded = computePadmeLength(length);
      assert.ok(padded >= length && padded <= length * 1.12);
      assert.equal(computePadmeLength(padded), padded);
      assert.ok(computePadmeLength(length + more) >= padded);
    }),
  );
});

test('lengths up to 25 MiB have a few hundred classes, and all short ones share one', () => {
  const classes = new Set<number>();
  for (let length = 0; length <= 25 * MIB; length += 64) classes.add(computePadmeLength(length));
  assert.ok(classes.size < 400, String(classes.size));
  assert.equal(computePadmeLength(0), PADDING_SIZE_CLASSES[0]);
});
