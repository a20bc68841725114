/** What a bench prints, draws and ends with, for given figures. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { benches } from '#bench/bench-list.ts';
import { parseAnswer } from '#bench/load/crowd.ts';
import { countTracedSyncs, NO_SYNC_TRACER } from '#bench/load/sync-tracer.ts';
import { formatBenchUsage, parseBenchArguments } from '#bench/options.ts';
import { drawResultChart } from '#bench/report/chart.ts';
import { describeMachine, formatRunTime } from '#bench/report/machine.ts';
import { replaceSection } from '#bench/report/results.ts';
import { computeBenchExitCode, createBenchRow, createFailedRow } from '#bench/report/row.ts';
import { computePercentile, computeSpread } from '#bench/report/spread.ts';
import { formatMisses, formatResultTable } from '#bench/report/table.ts';
import { pickWorstRows } from '#bench/report/worst.ts';

const met = createBenchRow({
  work: 'health, × bare',
  measured: computeSpread([1.5, 1.4, 1.7]),
  unit: ' ×',
  target: 1.8,
  details: ['CPU 60.0 µs (bare 40.0)', 'RSS 180 MB'],
});
const missed = createBenchRow({
  ...met,
  work: 'inquiry <sealed>',
  measured: computeSpread([12, 14]),
  target: 5,
});
const untraced = createBenchRow({
  work: 'syncs',
  measured: null,
  unit: '',
  target: 3,
  details: [NO_SYNC_TRACER],
});
const figure = createBenchRow({ ...met, work: 'two instances', target: null });

test('a row is met up to its target, and unknown without a figure or a target', () => {
  assert.deepEqual(
    [met, missed, untraced, figure].map((row) => row.met),
    [true, false, null, null],
  );
  assert.equal(createBenchRow({ ...met, target: 1.5 }).met, true);
});

test('the table has a line for each row', () => {
  assert.equal(
    formatResultTable([met, missed, untraced, figure]),
    `| work | measured (min–max) | target | met | details |
| --- | --- | --- | --- | --- |
| health, × bare | 1.50 × (1.40–1.70) | ≤ 1.8 × | yes | CPU 60.0 µs (bare 40.0); RSS 180 MB |
| inquiry <sealed> | 13.0 × (12.0–14.0) | ≤ 5 × | **no** | CPU 60.0 µs (bare 40.0); RSS 180 MB |
| syncs | – | ≤ 3 | – | ${NO_SYNC_TRACER} |
| two instances | 1.50 × (1.40–1.70) | – | – | CPU 60.0 µs (bare 40.0); RSS 180 MB |
`,
  );
});

test('a missed target and a bench that broke off end with 1 and are named; what cannot be measured does not', () => {
  assert.equal(computeBenchExitCode([met, untraced, figure]), 0);
  assert.equal(formatMisses([met, untraced, figure]), '');
  assert.equal(computeBenchExitCode([met, missed]), 1);
  assert.equal(formatMisses([met, missed]), 'Missed: inquiry <sealed>: 13.0 × (12.0–14.0), target ≤ 5 ×\n');
  const failed = createFailedRow('growth', new Error('no\nroom'));
  assert.equal(computeBenchExitCode([met, failed]), 1);
  assert.equal(formatMisses([failed]), 'Missed: growth: failed: no room, target –\n');
});

test('the chart has a bar for each row with a target, escaped, and colours for dark pages', () => {
  const svg = drawResultChart([met, missed, untraced, figure], '2026-11-15 "now"');
  assert.equal(svg.match(/<rect class="met"/g)?.length, 1);
  assert.equal(svg.match(/<rect class="missed"/g)?.length, 1);
  assert.match(svg, /aria-label="1 of 2 targets are met"/);
  assert.match(svg, /inquiry &lt;sealed>/);
  assert.match(svg, /2026-11-15 &quot;now&quot;/);
  assert.match(svg, /prefers-color-scheme: dark/);
});

test('of a group the short table has the worst row', () => {
  const group = 'growth';
  const rows = [met, { ...met, group, work: 'read' }, { ...missed, group, work: 'start' }, untraced];
  assert.deepEqual(
    pickWorstRows(rows).map(({ work }) => work),
    ['health, × bare', 'growth: start', 'syncs'],
  );
});

test('only what is between the marks of a text is replaced', () => {
  const text = 'a\n<!-- bench -->\nold\n<!-- /bench -->\nb\n';
  assert.equal(replaceSection(text, 'new\n'), 'a\n<!-- bench -->\nnew\n<!-- /bench -->\nb\n');
  assert.equal(replaceSection('no marks', 'new'), 'no marks');
});

test('figures are computed as their names say', () => {
  assert.deepEqual(computeSpread([3, 1, 2, 10]), { median: 2.5, min: 1, max: 10 });
  assert.equal(computePercentile([5, 1, 3], 99), 5);
  assert.equal(computePercentile([5, 1, 3], 50), 3);
});

test('a sync that another thread interrupted counts once', () => {
  const trace = `12 fdatasync(20 <unfinished ...>
13 fsync(21) = 0
12 <... fdatasync resumed>) = 0
`;
  assert.equal(countTracedSyncs(trace), 2);
});

test('an answer of a crowd is read when all of it has come', () => {
  const head = 'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\ncontent-length: 4\r\n\r\n';
  assert.equal(parseAnswer('HTTP/1.1 503'), null);
  assert.equal(parseAnswer(`${head}abc`), null);
  assert.deepEqual(parseAnswer(`${head}abcd`), { status: 503, retryAfter: 1, text: 'abcd' });
});

test('names, rounds and sizes that make no sense are refused', () => {
  const known = Object.keys(benches);
  const parse = (...args: string[]) => parseBenchArguments(args, known);
  assert.deepEqual(parse('health', 'read', 'health', '--rounds', '2'), {
    names: ['health', 'read'],
    rounds: 2,
    size: 1_000_000,
    saves: false,
  });
  assert.deepEqual(parse('all')?.names, known);
  assert.equal(parse('all')?.saves, true);
  assert.equal(parse('health', '--save')?.saves, true);
  for (const args of [
    [],
    ['nonsense'],
    ['all', 'health'],
    ['health', '--rounds', '0'],
    ['--unknown', 'read'],
  ])
    assert.equal(parse(...args), null, args.join(' '));
  for (const size of ['10', '1e99', 'many']) assert.equal(parse('growth', '--size', size), null, size);
  for (const name of known) assert.ok(formatBenchUsage(known).includes(name));
});

test('the machine is described without its name', () => {
  assert.match(describeMachine(), /\d+ cores, \d+ GiB, \w+, Node v\d+/);
  assert.equal(formatRunTime(new Date('2026-11-15T23:50:12Z')), '2026-11-15 23:50 UTC');
});
