import assert from 'node:assert/strict';
import test from 'node:test';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { formatDurationInWords, formatNumberInWords } from './spelled-duration.ts';

test('a length of time is spelled in the largest unit that fits', () => {
  const spelled: readonly (readonly [number, string])[] = [
    [DAY_MS, 'a day'],
    [HOUR_MS, 'an hour'],
    [7 * DAY_MS, 'seven days'],
    [72 * HOUR_MS, 'three days'],
    [30 * DAY_MS, 'thirty days'],
    [36 * HOUR_MS, '36 hours'],
  ];
  for (const [ms, text] of spelled) assert.equal(formatDurationInWords(ms), text);
});

test('a number without a short word stays in figures', () => {
  assert.deepEqual([3, 12, 13, 14, 90].map(formatNumberInWords), ['three', 'twelve', '13', '14', 'ninety']);
});
