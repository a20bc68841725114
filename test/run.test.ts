/** The runner counts only completed tests as passed, never those that did not run or did not finish. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { NO_BROWSER } from '#test/test-counts.ts';
import { groupByProcess, listTestFiles } from '#test/test-files.ts';

const BEGIN = "import test, { after, suite } from 'node:test';\n";

interface RunResult {
  readonly code: number;
  readonly lines: readonly string[];
}

/** Runs the runner with files written for the test. */
async function runPlanted(
  t: TestContext,
  sources: readonly string[],
  ...flags: string[]
): Promise<RunResult> {
  const folder = await createTemporaryFolder(t);
  const files = sources.map((_source, index) => join(folder, `${index}.test.ts`));
  for (const [index, source] of sources.entries()) await writeFile(files[index]!, BEGIN + source);
  // A runner inside a runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _outer, ...env } = process.env;
  return await new Promise((resolve) => {
    const args = ['test/run.ts', '--only', ...flags, ...files];
    execFile(process.execPath, args, { env }, (error, stdout) =>
      resolve({ code: Number(error?.code ?? 0), lines: stdout.trim().split('\n') }),
    );
  });
}

test('tests that pass are counted, in suites and below other tests too, and each file cleans up at its end', async (t) => {
  const { code, lines } = await runPlanted(t, [
    "globalThis.open = 0; globalThis.open += 1; after(() => { globalThis.open -= 1; }); test('a', () => {});",
    "suite('s', () => { test('b', async (t) => { await t.test('c', () => {}); }); });",
    "test('d', () => { if (globalThis.open !== 0) throw new Error('left open'); });",
  ]);
  assert.deepEqual([code, lines.at(-1)], [0, '4 passed, 0 failed, 0 skipped']);
});

test('a test that fails, or that is skipped or left for later, has failed', async (t) => {
  const { code, lines } = await runPlanted(t, [
    "test('a', () => {}); test('b', () => { throw new Error('no'); }); test.skip('c'); test.todo('d');",
  ]);
  assert.deepEqual([code, lines.at(-1)], [1, '1 passed, 3 failed, 0 skipped']);
  const complaint = /^✖ “b” failed: no · npm run test:only -- \S+0\.test\.ts$/;
  assert.ok(lines.slice(-4).some((line) => complaint.test(line)));
});

test('a suite that is skipped has failed, though its file has other tests', async (t) => {
  const { code, lines } = await runPlanted(t, [
    "test('a', () => {}); suite.skip('s', () => { test('b', () => {}); });",
  ]);
  assert.deepEqual([code, lines.at(-1)], [1, '1 passed, 1 failed, 0 skipped']);
});

test('only a missing browser is a reason to skip, and not where that is forbidden', async (t) => {
  const source = `test('a', () => {}); test('b', { skip: '${NO_BROWSER}' }, () => {});`;
  const { code, lines } = await runPlanted(t, [source]);
  assert.deepEqual([code, lines.at(-1)], [0, '1 passed, 0 failed, 1 skipped']);
  assert.equal((await runPlanted(t, [source], '--no-skips')).code, 1);
});

test('a file without a test, one that cannot be loaded, and whatever comes after an exit have failed', async (t) => {
  const { lines } = await runPlanted(t, ['', "throw new Error('no');", "test('a', () => {});"]);
  assert.equal(lines.at(-1), '1 passed, 2 failed, 0 skipped');
  const ended = await runPlanted(t, ['process.exit(0);', "test('a', () => {});"]);
  assert.deepEqual([ended.code, ended.lines.at(-1)], [1, '0 passed, 2 failed, 0 skipped']);
});

test('every test file of the project is in exactly one process', () => {
  const grouped = groupByProcess(listTestFiles()).flatMap(({ files }) => files);
  assert.deepEqual(grouped.toSorted(), listTestFiles());
  assert.ok(grouped.includes('test/run.test.ts'));
});
