/** `npm run check`: types, format, lint and unused code, in parallel; `npm test` runs them beside the tests. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export const CHECKS: readonly (readonly [string, ...string[]])[] = [
  // Each parallel checker would check the shared types again, for twice the processor time.
  ['tsc', '-p', '.', '--singleThreaded'],
  ['oxlint', '--deny-warnings'],
  ['biome', 'ci', '--error-on-warnings'],
  ['knip'],
  ['tsc', '-p', 'browser'],
];

if (import.meta.main) {
  const results = await Promise.all(CHECKS.map(runCheck));
  process.exit(results.every(Boolean) ? 0 : 1);
}

/** Returns whether the check passed. Its output is shown when it ends, so that parallel checks do not mix. */
export async function runCheck([command, ...args]: (typeof CHECKS)[number]): Promise<boolean> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  process.stdout.write(`${status === 0 ? '✔' : '✖'} ${[command, ...args].join(' ')}\n${stdout}${stderr}`);
  return status === 0;
}
