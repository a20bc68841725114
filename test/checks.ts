/** `npm run check`: types, format, lint and unused code, side by side; `npm test` runs them beside the tests. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export const CHECKS: readonly (readonly [string, ...string[]])[] = [
  // Several checkers would each look at what all files share, for twice the processor time.
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

/** Whether it passed; what it says is shown at its end, so that several do not mix. */
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
