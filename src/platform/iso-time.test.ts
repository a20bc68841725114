import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { toIsoTime } from './iso-time.ts';

const MAX_TIME = 8_640_000_000_000_000;

test('a time is written as Date writes it, in every year and to the millisecond', () => {
  const times = fc.oneof(
    fc.integer({ min: 0, max: 4e12 }),
    fc.integer({ min: -MAX_TIME, max: MAX_TIME }),
    fc.double({ min: -1e12, max: 1e12, noNaN: true }),
  );
  fc.assert(
    fc.property(times, (at) => assert.equal(toIsoTime(at), new Date(at).toISOString())),
    { numRuns: 2_000 },
  );
  for (const at of [0, 9, 10, 99, 100, 999, 86_399_999, 86_400_000, -1, MAX_TIME, -MAX_TIME])
    assert.equal(toIsoTime(at), new Date(at).toISOString());
});

test('what is no time is refused', () => {
  for (const at of [Number.NaN, Infinity, MAX_TIME + 86_400_000])
    assert.throws(() => toIsoTime(at), RangeError);
});
