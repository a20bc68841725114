/** Compares servers in alternating rounds: CPU time per request, as ratios to the first server. */
import autocannon from 'autocannon';
import type { BenchTarget } from './target.ts';

const CONNECTIONS = 32;
/** Enough for the JIT to compile the hot code. */
const WARM_UP_SECONDS = 5;
const ROUND_SECONDS = 3;

export interface BenchLoad {
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly connections?: number;
}

interface Round {
  readonly microseconds: number;
  readonly perSecond: number;
}

export async function compareTargets(
  targets: readonly BenchTarget[],
  load: BenchLoad,
  rounds: number,
): Promise<void> {
  for (const target of targets) await measureTarget(target, load, WARM_UP_SECONDS);
  const results = new Map<BenchTarget, Round[]>(targets.map((target) => [target, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      process.stderr.write(`\rround ${round + 1} of ${rounds}: ${target.name}          `);
      results.get(target)?.push(await measureTarget(target, load, ROUND_SECONDS));
    }
  process.stderr.write('\r\n');
  await printReport(results);
}

async function measureTarget(target: BenchTarget, load: BenchLoad, seconds: number): Promise<Round> {
  const before = await target.usage();
  const result = await autocannon({
    url: target.origin + load.path,
    method: load.method ?? 'GET',
    headers: { ...load.headers, ...target.headers },
    ...(load.body ? { body: load.body } : {}),
    connections: load.connections ?? CONNECTIONS,
    duration: seconds,
    tlsOptions: { rejectUnauthorized: false },
  });
  const after = await target.usage();
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${target.name}: ${result.non2xx} refusals and ${result.errors} errors`);
  const requests = result.requests.total;
  return {
    microseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / requests,
    perSecond: requests / seconds,
  };
}

async function printReport(results: ReadonlyMap<BenchTarget, readonly Round[]>): Promise<void> {
  const [[, reference = []] = []] = results;
  const rows = await Promise.all(
    [...results].map(async ([target, rounds]) => {
      const ratios = rounds.map(
        (round, index) => round.microseconds / (reference[index]?.microseconds ?? Number.NaN),
      );
      const { rssBytes } = await target.usage();
      return {
        server: target.name,
        'CPU µs/request': computeMedian(rounds.map(({ microseconds }) => microseconds)).toFixed(1),
        ratio: computeMedian(ratios).toFixed(2),
        'ratio min–max': `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
        'requests/s': Math.round(computeMedian(rounds.map(({ perSecond }) => perSecond))),
        'RSS MB': Math.round(rssBytes / 1e6),
      };
    }),
  );
  console.table(rows);
}

function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
