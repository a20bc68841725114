/** Runs everything that must hold: types, format and lint, the tests beside the source, the tests of the whole. */
import { spawnSync } from 'node:child_process';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const checks = [
  ['tsc', '-p', '.'],
  ['tsc', '-p', 'browser'],
  ['biome', 'ci', '--error-on-warnings'],
  ['oxlint', '--deny-warnings'],
  ['knip'],
] as const;

/** A file that takes longer hangs. */
const FILE_MS = 240_000;

const total = { passed: 0, failed: 0 };

for (const [command, ...args] of checks) {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  total[status === 0 ? 'passed' : 'failed'] += 1;
}
await runSuite({ globPatterns: ['src/**/*.test.ts'], isolation: 'none' });
const whole = { isolation: 'process', timeout: FILE_MS } as const;
await runSuite({ ...whole, globPatterns: ['test/*.test.ts', 'test/!(flows)/**/*.test.ts'], concurrency: 2 });
// A browser beside another file would take the time that others measure.
await runSuite({ ...whole, globPatterns: ['test/flows/**/*.test.ts'], concurrency: 1 });

process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exit(total.failed === 0 ? 0 : 1);

async function runSuite(options: NonNullable<Parameters<typeof run>[0]>): Promise<void> {
  const events = run({ ...options, cwd: process.cwd() });
  events.on('test:summary', ({ file, counts }) => {
    if (file !== undefined) return;
    total.passed += counts.passed;
    // A skipped or unfinished test is one that nobody has seen pass.
    total.failed += counts.tests - counts.passed;
  });
  for await (const line of events.compose<NodeJS.ReadableStream>(new spec())) process.stdout.write(line);
}
