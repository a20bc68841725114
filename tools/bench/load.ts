/** Puts loads on servers: CPU time for each request as a ratio to a bare server, and how long single requests take. */
import { Agent } from 'node:https';
import autocannon from 'autocannon';
import { type BenchRow, computeMedian, createBenchRow, divide, formatMedian } from './report.ts';
import { type BenchRequest, type BenchTarget, sendRequest } from './target.ts';

const CONNECTIONS = 32;
/** Enough for the JIT to compile the hot code. */
const WARM_UP_SECONDS = 3;
const ROUND_SECONDS = 2;

export interface BenchLoad extends BenchRequest {
  /** What is new in each request. */
  readonly vary?: () => { readonly path?: string; readonly body?: string };
  readonly connections?: number;
  /** Answers of 503 are no failure; they are not counted as requests. */
  readonly mayBeRefused?: boolean;
  /** Called before each round. */
  readonly prepare?: () => Promise<void>;
}

/** A round lasts that long, or has that many requests. */
export type LoadLength = { readonly seconds: number } | { readonly requests: number };

export interface LoadFigures {
  readonly requests: number;
  readonly microseconds: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export async function measureLoad(
  target: BenchTarget,
  load: BenchLoad,
  length: LoadLength,
): Promise<LoadFigures> {
  await load.prepare?.();
  const before = await target.usage();
  const result = await autocannon({
    ...toRequestOptions(load),
    url: target.origin + load.path,
    connections: load.connections ?? CONNECTIONS,
    ...('seconds' in length ? { duration: length.seconds } : { amount: length.requests }),
    tlsOptions: { rejectUnauthorized: false },
  });
  const after = await target.usage();
  const refused = load.mayBeRefused ? (result.statusCodeStats?.['503']?.count ?? 0) : 0;
  if (result.non2xx > refused || result.errors > 0)
    throw new Error(`${target.name}: ${result.non2xx} refusals and ${result.errors} errors`);
  const requests = result.requests.total - refused;
  return {
    requests,
    microseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / requests,
    perSecond: requests / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

function toRequestOptions({ method = 'GET', headers = {}, body, vary }: BenchLoad) {
  const options = { method, headers, ...(body === undefined ? {} : { body }) };
  if (!vary) return options;
  const replaceParts = (asked: autocannon.Request) => ({ ...asked, ...vary() });
  return { ...options, requests: [{ setupRequest: replaceParts }] };
}

interface Contestant {
  readonly target: BenchTarget;
  readonly load: BenchLoad;
}

export interface Contest {
  readonly work: string;
  /** The largest ratio that is good enough. */
  readonly most: number;
  readonly bare: Contestant;
  readonly ours: Contestant;
}

export async function compareTargets(
  context: Rounds,
  { work, most, bare, ours }: Contest,
): Promise<BenchRow> {
  const measure =
    ({ target, load }: Contestant) =>
    (round: number) =>
      measureLoad(target, load, { seconds: round === 0 ? WARM_UP_SECONDS : ROUND_SECONDS });
  const figures = await measureRounds(context, { bare: measure(bare), ours: measure(ours) });
  const pick = (whose: 'bare' | 'ours', key: keyof LoadFigures) => figures[whose].map((one) => one[key]);
  const compare = (key: keyof LoadFigures, unit: string) =>
    `${formatMedian(pick('ours', key))} ${unit} (bare ${formatMedian(pick('bare', key))})`;
  return createBenchRow({
    work,
    measured: divide(pick('ours', 'microseconds'), pick('bare', 'microseconds')),
    unit: ' ×',
    target: most,
    details: [
      compare('microseconds', 'µs of CPU'),
      compare('perSecond', 'a second'),
      compare('p50', 'ms p50'),
      compare('p99', 'ms p99'),
      `RSS ${Math.round((await ours.target.usage()).rssBytes / 1e6)} MB`,
    ],
  });
}

export interface Rounds {
  readonly rounds: number;
  readonly report: (text: string) => void;
}

/** Alternates between the works, so that whatever else the machine does slows all of them; round 0 warms up. */
export async function measureRounds<Name extends string, Figure>(
  { rounds, report }: Rounds,
  works: Readonly<Record<Name, (round: number) => Promise<Figure>>>,
): Promise<Record<Name, Figure[]>> {
  const entries = Object.entries(works) as [Name, (round: number) => Promise<Figure>][];
  const figures = Object.fromEntries(entries.map(([name]) => [name, [] as Figure[]]));
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, measure] of round % 2 === 0 ? entries : entries.toReversed()) {
      report(`round ${round} of ${rounds}: ${name}`);
      const figure = await measure(round);
      if (round > 0) figures[name]?.push(figure);
    }
  return figures as Record<Name, Figure[]>;
}

/** Milliseconds of each of so many requests, one after the other on one connection. */
export async function measureSequence(
  { name, origin }: Pick<BenchTarget, 'name' | 'origin'>,
  load: BenchLoad,
  count: number,
): Promise<number[]> {
  await load.prepare?.();
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  try {
    const times: number[] = [];
    // The first one also opens the connection.
    for (let sent = -1; sent < count; sent += 1) {
      const { status, ms } = await sendRequest(agent, origin, { ...load, ...load.vary?.() });
      if (status < 200 || status > 299) throw new Error(`${name}: ${status} for ${load.path}`);
      if (sent >= 0) times.push(ms);
    }
    return times;
  } finally {
    agent.destroy();
  }
}

/** The median of so many runs, in milliseconds. */
export async function timeRuns(count: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  while (times.length < count) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return computeMedian(times);
}
