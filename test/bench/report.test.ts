/** What a bench prints and ends with, for given figures. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { formatBenchUsage, parseBenchArguments } from '#tools/bench/options.ts';
import {
  computeBenchExitCode,
  createBenchRow,
  createFailedRow,
  formatResultTable,
} from '#tools/bench/report.ts';
import { countTracedSyncs, NO_TRACER } from '#tools/bench/target.ts';

const ratio = {
  work: 'token, × bare',
  measured: [1.5, 1.4, 1.7],
  unit: ' ×',
  target: 1.8,
  details: ['CPU 60.0 µs (bare 40.0)', 'RSS 180 MB'],
};
const met = createBenchRow(ratio);
const missed = createBenchRow({ ...ratio, work: 'inquiry', measured: [12, 14], target: 5 });
const untraced = createBenchRow({ work: 'syncs', measured: [], target: 3, details: [NO_TRACER] });
const figure = createBenchRow({ ...ratio, work: 'two instances', target: null });

test('a miss within the noise of the rounds is none, and the table says so', () => {
  const near = createBenchRow({ ...ratio, measured: [1.9, 1.8, 2], target: 1.8 });
  const far = createBenchRow({ ...ratio, measured: [1.91, 1.9, 1.92], target: 1.8 });
  assert.deepEqual([near.met, far.met], [true, false]);
  assert.match(
    formatResultTable([near]),
    /\| 1\.90 × \(1\.80–2\.00\) \| ± 0\.14 \| ≤ 1\.8 × \| within the noise \|/,
  );
  // A single round has no noise that is known.
  assert.equal(createBenchRow({ ...ratio, measured: [1.81], target: 1.8 }).met, false);
});

test('the table has a line for each row', () => {
  assert.equal(
    formatResultTable([met, missed, untraced, figure]),
    `| work | measured (min–max) | noise | target | met | details |
| --- | --- | --- | --- | --- | --- |
| token, × bare | 1.50 × (1.40–1.70) | ± 0.22 | ≤ 1.8 × | yes | CPU 60.0 µs (bare 40.0); RSS 180 MB |
| inquiry | 13.0 × (12.0–14.0) | ± 2.51 | ≤ 5 × | **no** | CPU 60.0 µs (bare 40.0); RSS 180 MB |
| syncs | – | – | ≤ 3 | – | ${NO_TRACER} |
| two instances | 1.50 × (1.40–1.70) | ± 0.22 | – | – | CPU 60.0 µs (bare 40.0); RSS 180 MB |
`,
  );
});

test('a missed target and a bench that broke off end with 1; what cannot be measured does not', () => {
  assert.equal(computeBenchExitCode([met, untraced, figure]), 0);
  assert.equal(computeBenchExitCode([met, missed]), 1);
  const failed = createFailedRow('growth', new Error('no\nroom'));
  assert.equal(computeBenchExitCode([met, failed]), 1);
  assert.match(
    formatResultTable([failed]),
    /^\| growth \| – \| – \| – \| \*\*no\*\* \| failed: no room \|$/m,
  );
});

test('a sync that another thread interrupted counts once', () => {
  const trace = `12 fdatasync(20 <unfinished ...>
13 fsync(21) = 0
12 <... fdatasync resumed>) = 0
`;
  assert.equal(countTracedSyncs(trace), 2);
});

test('names, rounds and sizes that make no sense are refused', () => {
  const known = ['token', 'read', 'growth'];
  const parse = (...args: string[]) => parseBenchArguments(args, known);
  assert.deepEqual(parse('token', 'read', 'token', '--rounds', '2'), {
    names: ['token', 'read'],
    rounds: 2,
    size: 1_000_000,
  });
  assert.deepEqual(parse('all')?.names, known);
  for (const args of [[], ['nonsense'], ['all', 'token'], ['token', '--rounds', '0'], ['--unknown', 'read']])
    assert.equal(parse(...args), null, args.join(' '));
  for (const size of ['10', '1e99', 'many']) assert.equal(parse('growth', '--size', size), null, size);
  for (const name of known) assert.ok(formatBenchUsage(known).includes(name));
});
