/** Times the start of the service, with data and over TLS, beside `node:https`, and looks at its memory at rest. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BenchContext } from '#bench/bench.ts';
import { startBenchTarget } from '#bench/load/target.ts';
import { type BenchRow, createBenchRow, formatFigure } from '#bench/report/row.ts';
import { computeMedian, computeSpread } from '#bench/report/spread.ts';

const COLD_TARGET = 4;
const IDLE_MEGABYTES_TARGET = 120;
const CASES = 1_000;
/** The first sweeps are over by then. */
const REST_MS = 5_000;

const run = promisify(execFile);

export async function benchCold(context: BenchContext): Promise<BenchRow[]> {
  const { dataDir, env } = await context.copyFilledOffice(context, CASES);
  const tls = {
    TLS_KEY_FILE: join(dataDir, 'tls/localhost.pem'),
    TLS_CERT_FILE: join(dataDir, 'tls/localhost.crt'),
  };
  const bare = { name: 'node:https', script: 'bench/bare/https-server.js', env: tls, untouched: true };
  const ours = { name: 'Inquiry Office', env, untouched: true };
  const starts = { bare: [] as number[], ours: [] as number[] };
  const megabytes: number[] = [];
  // The first start of each also fills caches of the system.
  for (let round = -1; round < context.rounds; round += 1) {
    context.report(`start ${round + 1} of ${context.rounds}`);
    const reference = await startBenchTarget(context, bare);
    await reference.stop();
    const target = await startBenchTarget(context, ours);
    await sleep(REST_MS);
    const rss = await readResidentMegabytes(target.pid);
    await target.stop();
    if (round < 0) continue;
    starts.bare.push(reference.startMs);
    starts.ours.push(target.startMs);
    megabytes.push(rss);
  }
  const ratios = starts.ours.map((ms, round) => ms / starts.bare[round]!);
  return [
    createBenchRow({
      work: `cold start to the first 200 with ${CASES} cases over TLS, × node:https`,
      measured: computeSpread(ratios),
      unit: ' ×',
      target: COLD_TARGET,
      details: [
        `${formatFigure(computeMedian(starts.ours))} ms (bare ${formatFigure(computeMedian(starts.bare))} ms)`,
      ],
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
