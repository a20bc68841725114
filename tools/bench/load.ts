/** Puts loads on servers: CPU time for each request as a ratio to a bare server, and how long single requests take. */
import { Agent } from 'node:https';
import autocannon from 'autocannon';
import { type BenchContext, measureRounds } from './bench.ts';
import { type BenchRow, computeMedian, createBenchRow, divide, formatMedian } from './table.ts';
import { type BenchRequest, type BenchTarget, sendRequest } from './target.ts';

const CONNECTIONS = 32;
/** Enough for the JIT to compile the hot code. */
const WARM_UP_SECONDS = 3;
const ROUND_SECONDS = 2;

export interface BenchLoad extends BenchRequest {
  /** What differs in each request. */
  readonly vary?: () => { readonly path?: string; readonly body?: string };
  /** Called before each round. */
  readonly prepare?: () => Promise<void>;
}

/** The number of connections, and of seconds or requests. */
interface LoadLength {
  readonly connections?: number;
  readonly duration?: number;
  readonly amount?: number;
}

/** Measures one round. A response of 503 is not a failure and is not counted as a request. */
export async function measureLoad(
  target: BenchTarget,
  { path, body, vary, prepare, ...load }: BenchLoad,
  length: LoadLength,
): Promise<{ requests: number; microseconds: number }> {
  await prepare?.();
  const before = await target.usage();
  const result = await autocannon({
    ...load,
    ...(body === undefined ? {} : { body }),
    ...(vary ? { requests: [{ setupRequest: (request) => ({ ...request, ...vary() }) }] } : {}),
    url: target.origin + path,
    connections: CONNECTIONS,
    ...length,
    tlsOptions: { rejectUnauthorized: false },
  });
  const after = await target.usage();
  const busy = result.statusCodeStats?.['503']?.count ?? 0;
  const requests = result.requests.total - busy;
  if (result.non2xx > busy || result.errors > 0 || requests === 0)
    throw new Error(`${path}: ${result.non2xx} refusals and ${result.errors} errors`);
  return { requests, microseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / requests };
}

interface Contest {
  readonly work: string;
  /** The largest ratio that is good enough. */
  readonly most: number;
  readonly target: BenchTarget;
  readonly load: BenchLoad;
  readonly bare: BenchTarget;
}

export async function compareWithBare(
  context: BenchContext,
  { work, most, target, load, bare }: Contest,
): Promise<BenchRow> {
  const measure = (server: BenchTarget) => async (round: number) => {
    const duration = round === 0 ? WARM_UP_SECONDS : ROUND_SECONDS;
    return (await measureLoad(server, load, { duration })).microseconds;
  };
  const cpu = await measureRounds(context, { bare: measure(bare), ours: measure(target) });
  const { rssBytes } = await target.usage();
  return createBenchRow({
    work,
    measured: divide(cpu.ours, cpu.bare),
    unit: ' ×',
    target: most,
    details: [
      `${formatMedian(cpu.ours)} µs of CPU (bare ${formatMedian(cpu.bare)})`,
      `RSS ${Math.round(rssBytes / 1e6)} MB`,
    ],
  });
}

/** Returns the median time of `count` sequential requests on one connection, in milliseconds. */
export async function measureSequence(
  { origin }: BenchTarget,
  { vary, prepare, ...load }: BenchLoad,
  count: number,
): Promise<number> {
  await prepare?.();
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  try {
    const times: number[] = [];
    while (times.length <= count) times.push(await sendRequest(agent, origin, { ...load, ...vary?.() }));
    // Omits the first request, which also opened the connection.
    return computeMedian(times.slice(1));
  } finally {
    agent.destroy();
  }
}
