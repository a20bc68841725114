/** A small bench from its start to its end: servers, load, figures, and nothing left behind. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import test from 'node:test';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { type BenchContext, runBenches } from '#tools/bench/bench.ts';
import { measureLoad, measureSequence } from '#tools/bench/load.ts';
import { createBenchRow } from '#tools/bench/table.ts';
import { startBenchTarget } from '#tools/bench/target.ts';

const load = { path: '/api/health' };
const bareProgram = { bare: 'inquiry' } as const;

test('a bench measures a server, and ends it and its folders also when it fails', async () => {
  let pid = 0;
  let folder = '';
  const begin = async (context: BenchContext) => {
    folder = await createTemporaryFolder(context);
    const target = await startBenchTarget(context, bareProgram);
    ({ pid } = await target.usage());
    return target;
  };
  const rows = await runBenches(
    [
      [
        'small',
        async (context) => {
          const target = await begin(context);
          const { microseconds, requests } = await measureLoad(target, load, { amount: 40 });
          assert.ok(microseconds > 0 && requests === 40);
          assert.ok((await measureSequence(target, load, 3)) > 0);
          assert.ok((await target.longestTurn()).ms > 0);
          return [createBenchRow({ work: 'health', measured: [microseconds], unit: ' µs', target: 1e9 })];
        },
      ],
      [
        'broken',
        async (context) => {
          await begin(context);
          throw new Error('it broke');
        },
      ],
    ],
    { rounds: 1, size: 2_000, report: () => {} },
    new AbortController().signal,
  );
  assert.deepEqual(
    rows.map(({ work, met }) => [work, met]),
    [
      ['health', true],
      ['broken', false],
    ],
  );
  assert.equal(existsSync(folder), false);
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

test('a bench that is stopped ends its servers first', async () => {
  const stopped = new AbortController();
  let pid = 0;
  const rows = await runBenches(
    [
      [
        'endless',
        async (context) => {
          const target = await startBenchTarget(context, bareProgram);
          ({ pid } = await target.usage());
          stopped.abort();
          return await new Promise(() => {});
        },
      ],
      ['next', async () => assert.fail('it was begun')],
    ],
    { rounds: 1, size: 2_000, report: () => {} },
    stopped.signal,
  );
  assert.deepEqual(
    rows.map(({ work, met }) => [work, met]),
    [['endless', false]],
  );
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

test('an unknown name shows the names and ends with 64', () => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/bench/main.ts', 'nonsense'], {
    encoding: 'utf8',
  });
  assert.equal(status, 64);
  assert.match(stderr, /^Usage: npm run bench -- NAME…/);
});
