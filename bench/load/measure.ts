/** Puts a load on a server: CPU time for each request, requests in a second, and how long callers wait. */
import autocannon from 'autocannon';
import type { BenchTarget } from './target.ts';

const CONNECTIONS = 32;

export interface BenchLoad {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly headers?: Record<string, string>;
  readonly body?: string;
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
  const replaceParts = (request: autocannon.Request) => ({ ...request, ...vary() });
  return { ...options, requests: [{ setupRequest: replaceParts }] };
}
