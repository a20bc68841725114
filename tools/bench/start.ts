/** Times the start of the service, with data and over TLS, and looks at its memory at rest. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from './bench.ts';
import { measureRounds } from './load.ts';
import { type BenchRow, createBenchRow } from './report.ts';
import { startBenchTarget } from './target.ts';

const START_SECONDS_TARGET = 1;
const IDLE_MEGABYTES_TARGET = 160;
const STARTS = 11;
const CASES = 1_000;
/** The first sweeps are over by then. */
const REST_MS = 5_000;

export async function benchStart(context: BenchContext): Promise<BenchRow[]> {
  const { env } = await context.copyFilledOffice(context, CASES);
  const { start: seconds } = await measureRounds(
    { ...context, rounds: STARTS },
    {
      start: async () => {
        const { startMs, stop } = await startBenchTarget(context, { env, untouched: true });
        await stop();
        return startMs / 1_000;
      },
    },
  );
  const target = await startBenchTarget(context, { env });
  await sleep(REST_MS);
  const { rssBytes } = await target.usage();
  return [
    createBenchRow({
      work: `start to the first 200 with ${CASES} cases over TLS and a warm cache`,
      measured: seconds,
      unit: ' s',
      target: START_SECONDS_TARGET,
    }),
    createBenchRow({
      work: 'memory at rest (RSS)',
      measured: [rssBytes / 1e6],
      unit: ' MB',
      target: IDLE_MEGABYTES_TARGET,
      details: [`${REST_MS / 1_000} s after the start, with ${CASES} cases`],
    }),
  ];
}
