/** `npm run bench -- NAME…`: compares servers within one run; absolute numbers mean little. */
import { runBenches } from './bench.ts';
import { benches } from './bench-list.ts';
import { formatBenchUsage, parseBenchArguments } from './options.ts';
import { createBenchProgress } from './progress.ts';
import { describeMachine, formatRunTime } from './report/machine.ts';
import { saveResults } from './report/results.ts';
import { computeBenchExitCode } from './report/row.ts';
import { formatMisses, formatResultTable } from './report/table.ts';

/** sysexits.h: EX_USAGE. */
const EXIT_USAGE = 64;
const EXIT_STOPPED = 130;

const known = Object.keys(benches);
const given = parseBenchArguments(process.argv.slice(2), known);
if (given === null) {
  process.stderr.write(formatBenchUsage(known));
  process.exit(EXIT_USAGE);
}
const { names, rounds, size, saves } = given;
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort());
const progress = createBenchProgress(process.stderr);
const { report } = progress;
const chosen = names.map((name) => [name, benches[name]!] as const);
const rows = await runBenches(chosen, { rounds, size, report }, stopped.signal)
  .catch((error: unknown) => {
    if (!stopped.signal.aborted) throw error;
    process.stderr.write('\nStopped.\n');
    process.exit(EXIT_STOPPED);
  })
  .finally(progress.end);
process.stdout.write(formatResultTable(rows));
if (saves) {
  const run = { rows, time: formatRunTime(new Date()), machine: describeMachine() };
  process.stderr.write(`Saved: ${await saveResults('.', run)}\n`);
}
process.stderr.write(formatMisses(rows));
process.exitCode = computeBenchExitCode(rows);
