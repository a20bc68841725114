/** `npm run bench -- NAME…`: measures the service, in part against bare servers; ends with 1 if a target is missed. */
import { parseArgs } from 'node:util';
import { type Bench, runBenches } from './bench.ts';
import { benchInquiry, benchRead, benchToken } from './comparisons.ts';
import { benchGrowth } from './growth.ts';
import { formatResultTable } from './table.ts';
import { benchPurge, benchStart, benchTurns } from './turns.ts';

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
const MIN_SIZE = 2_000;
/** sysexits.h: EX_USAGE. */
const EXIT_USAGE = 64;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '6' },
    size: { type: 'string', default: '1000000' },
  },
});
const names = positionals[0] === 'all' ? Object.keys(benches) : positionals;
const chosen = names.flatMap((name) => (benches[name] ? [[name, benches[name]] as const] : []));
const [rounds, size] = [Number(values.rounds), Number(values.size)];
if (chosen.length === 0 || chosen.length < names.length || !(rounds >= 1) || !(size >= MIN_SIZE)) {
  process.stderr.write(`Usage: npm run bench -- NAME… [--rounds N] [--size N]

  NAME        ${Object.keys(benches).join(', ')}, or all
  --rounds N  alternating rounds of each comparison (6)
  --size N    cases in the largest store (1000000, at least ${MIN_SIZE})
`);
  process.exit(EXIT_USAGE);
}
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort());
const report = (text: string) => void process.stderr.write(`${text}\n`);
const rows = await runBenches(chosen, { rounds, size, report }, stopped.signal);
process.stdout.write(formatResultTable(rows));
process.exitCode = rows.some(({ met }) => met === false) ? 1 : 0;
