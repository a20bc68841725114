/** Times the start of the service, with data and over TLS, and looks at its memory at rest. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BenchContext } from '#bench/bench.ts';
import { startBenchTarget } from '#bench/load/target.ts';
import { type BenchRow, createBenchRow } from '#bench/report/row.ts';
import { computeSpread } from '#bench/report/spread.ts';

const START_SECONDS_TARGET = 1;
const IDLE_MEGABYTES_TARGET = 160;
const CASES = 1_000;
/** The first sweeps are over by then. */
const REST_MS = 5_000;

const run = promisify(execFile);

export async function benchCold(context: BenchContext): Promise<BenchRow[]> {
  const { env } = await context.copyFilledOffice(context, CASES);
  const seconds: number[] = [];
  const megabytes: number[] = [];
  // The first start fills the caches.
  for (let round = -1; round < context.rounds; round += 1) {
    context.report(`start ${round + 1} of ${context.rounds}`);
    const target = await startBenchTarget(context, { name: 'Inquiry Office', env, untouched: true });
    await sleep(REST_MS);
    const rss = await readResidentMegabytes(target.pid);
    await target.stop();
    if (round < 0) continue;
    seconds.push(target.startMs / 1_000);
    megabytes.push(rss);
  }
  return [
    createBenchRow({
      work: `start to the first 200 with ${CASES} cases over TLS and a warm cache`,
      measured: computeSpread(seconds),
      unit: ' s',
      target: START_SECONDS_TARGET,
      details: [],
    }),
    createBenchRow({
      work: 'memory at rest (RSS)',
      measured: computeSpread(megabytes),
      unit: ' MB',
      target: IDLE_MEGABYTES_TARGET,
      details: [`${REST_MS / 1_000} s after the start, with ${CASES} cases`],
    }),
  ];
}

/** Linux tells without a program, which a small container may lack. */
async function readResidentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? (await askForMemory(pid));
  return (Number(kibibytes) * 1_024) / 1e6;
}

async function askForMemory(pid: number): Promise<string> {
  return (await run('ps', ['-o', 'rss=', '-p', String(pid)])).stdout;
}
