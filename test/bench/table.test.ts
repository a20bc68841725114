/** What a bench prints for given figures. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { computeMedian, createBenchRow, createFailedRow, formatResultTable } from '#tools/bench/table.ts';

const ratio = {
  work: 'token, × bare',
  measured: [1.5, 1.4, 1.7],
  unit: ' ×',
  target: 1.8,
  details: ['CPU 60.0 µs (bare 40.0)', 'RSS 180 MB'],
};
const met = createBenchRow(ratio);
const missed = createBenchRow({ ...ratio, work: 'inquiry', measured: [12, 14], target: 5 });
const failed = createFailedRow('growth', new Error('no\nroom'));
const untraced = createBenchRow({ work: 'syncs', measured: [], target: 3, details: ['not measured'] });

test('a miss within the noise of the rounds is none, and the table says so', () => {
  const near = createBenchRow({ ...ratio, measured: [1.9, 1.8, 2], target: 1.8 });
  const far = createBenchRow({ ...ratio, measured: [1.91, 1.9, 1.92], target: 1.8 });
  assert.deepEqual([near.met, far.met], [true, false]);
  assert.match(
    formatResultTable([near]),
    /\| 1\.90 × \(1\.80–2\.00\) \| ± 0\.14 \| ≤ 1\.8 × \| within the noise \|/,
  );
  // The noise of a single round is unknown.
  assert.equal(createBenchRow({ ...ratio, measured: [1.81], target: 1.8 }).met, false);
});

test('the table has a line for each row, met up to its target or unknown without a figure', () => {
  assert.equal(createBenchRow({ ...ratio, target: 1.5 }).met, true);
  assert.equal(
    formatResultTable([met, missed, untraced, failed]),
    `| work | measured (min–max) | noise | target | met | details |
| --- | --- | --- | --- | --- | --- |
| token, × bare | 1.50 × (1.40–1.70) | ± 0.22 | ≤ 1.8 × | yes | CPU 60.0 µs (bare 40.0); RSS 180 MB |
| inquiry | 13.0 × (12.0–14.0) | ± 2.51 | ≤ 5 × | **no** | CPU 60.0 µs (bare 40.0); RSS 180 MB |
| syncs | – | – | ≤ 3 | – | not measured |
| growth | – | – | – | **no** | failed: no room |
`,
  );
});

test('a median is between the two in the middle', () => {
  assert.equal(computeMedian([3, 1, 2, 10]), 2.5);
  assert.equal(computeMedian([3, 1, 10]), 3);
});
