/** `npm run bench -- NAME…`: compares servers within one run; absolute numbers mean little. */
import { type Bench, runBenches } from './bench.ts';
import { benchGrowth } from './growth.ts';
import { formatBenchUsage, parseBenchArguments } from './options.ts';
import { benchPurge } from './purge.ts';
import { computeBenchExitCode, formatResultTable } from './report.ts';
import { benchInquiry, benchRead, benchToken } from './requests.ts';
import { benchStart } from './start.ts';
import { benchTurns } from './turns.ts';

/** `all` runs them in this order. */
const benches: Readonly<Record<string, Bench>> = {
  inquiry: benchInquiry,
  read: benchRead,
  token: benchToken,
  start: benchStart,
  purge: benchPurge,
  turns: benchTurns,
  growth: benchGrowth,
};

/** sysexits.h: EX_USAGE. */
const EXIT_USAGE = 64;
const EXIT_STOPPED = 130;

const known = Object.keys(benches);
const given = parseBenchArguments(process.argv.slice(2), known);
if (given === null) {
  process.stderr.write(formatBenchUsage(known));
  process.exit(EXIT_USAGE);
}
const { names, ...options } = given;
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort());
const report = (text: string) => void process.stderr.write(`${text}\n`);
const chosen = names.map((name) => [name, benches[name]!] as const);
const rows = await runBenches(chosen, { ...options, report }, stopped.signal).catch((error: unknown) => {
  if (!stopped.signal.aborted) throw error;
  process.stderr.write('Stopped.\n');
  process.exit(EXIT_STOPPED);
});
process.stdout.write(formatResultTable(rows));
process.exitCode = computeBenchExitCode(rows);
