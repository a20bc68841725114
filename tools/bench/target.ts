/** Starts a measured server in its own process, and counts its syncs where `strace` exists and is allowed to trace. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '#platform/net/http-exchange.ts';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';
import { findFreePorts } from '#test/ports.ts';

const MAX_START_MS = 120_000;
const GIVE_UP_MS = 30_000;
const START_PAUSE_MS = 10;
const MAX_OUTPUT_CHARACTERS = 4_000;
const REPORTER = new URL('reporter.ts', import.meta.url).href;
const BARE_SERVER = 'tools/bench/bare-server.ts';
const TRACER = 'strace';

export interface BenchRequest {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface ProcessUsage {
  readonly pid: number;
  readonly cpuMicroseconds: number;
  readonly rssBytes: number;
}

/** The longest turn of the event loop, and the CPU time in it. */
export interface LongestTurn {
  readonly ms: number;
  readonly cpuMs: number;
}

export type BenchTarget = Awaited<ReturnType<typeof startBenchTarget>>;

interface TargetProgram {
  /** The operation of a bare server to compare with; if missing, the target is the service itself. */
  readonly bare?: 'inquiry' | 'statements' | 'read' | 'token';
  readonly env?: Record<string, string>;
  /** A file for the trace of its syncs. */
  readonly traceFile?: string;
}

export async function startBenchTarget(t: CleanupScope, { bare, env, traceFile }: TargetProgram) {
  const [port = 0] = await findFreePorts(1);
  const place = { PORT: String(port), HTTP_PORT: 'off', DATA_DIR: await createTemporaryFolder(t) };
  const startedAt = performance.now();
  const [command = '', ...args] = [
    ...(traceFile ? [TRACER, ...toTracerArguments(traceFile)] : []),
    process.execPath,
    '--import',
    REPORTER,
    ...(bare ? [BARE_SERVER, bare] : readServeArguments()),
  ];
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'], RATE_LIMIT: 'off', ...place, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let output = '';
  child.stderr?.on('data', (chunk) => (output = `${output}${chunk}`.slice(-MAX_OUTPUT_CHARACTERS)));
  const exited = once(child, 'exit');
  const stop = async () => {
    if (child.connected) child.disconnect();
    await exited;
  };
  t.after(stop);
  const origin = `https://localhost:${port}`;
  await waitUntilReady(child, origin).catch((error: unknown) => {
    throw new Error(`${bare ?? 'the service'} did not start: ${output}`, { cause: error });
  });
  return {
    origin,
    /** From the start of the process to the first 200. */
    startMs: performance.now() - startedAt,
    usage: () => askReporter<ProcessUsage>(child, 'usage'),
    /** Covers the time since the last call. */
    longestTurn: () => askReporter<LongestTurn>(child, 'turns'),
    stop,
  };
}

function toTracerArguments(file: string): string[] {
  return ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', file];
}

export function canTraceSyncs(): boolean {
  return spawnSync(TRACER, [...toTracerArguments('/dev/null'), 'true']).status === 0;
}

/** If another thread was scheduled during a call, the trace has a second line for it, without the parenthesis. */
export async function readSyncCount(traceFile: string): Promise<number> {
  return (await readFile(traceFile, 'utf8')).match(/\bf(?:data)?sync\(/g)?.length ?? 0;
}

/** Reads the options that `npm run serve` passes to Node. */
function readServeArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { serve: string } };
  return scripts.serve.replace(/^exec node /, '').split(' ');
}

async function askReporter<Answer>(child: ChildProcess, question: string): Promise<Answer> {
  child.send(question);
  const [answer] = (await once(child, 'message')) as [Answer];
  return answer;
}

async function waitUntilReady(child: ChildProcess, origin: string): Promise<void> {
  const deadline = Date.now() + MAX_START_MS;
  const agent = new Agent({ rejectUnauthorized: false });
  const isReady = () => sendRequest(agent, origin, { path: '/api/health' }).catch(() => false);
  while (!(await isReady())) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`nothing answers at ${origin}`);
    await sleep(START_PAUSE_MS);
  }
}

/** Returns the milliseconds until the response was complete. */
export async function sendRequest(
  agent: Agent,
  origin: string,
  { path, body, ...options }: BenchRequest,
): Promise<number> {
  const startedAt = performance.now();
  const sent = request(origin + path, { ...options, agent, timeout: GIVE_UP_MS });
  sent.once('timeout', () => sent.destroy());
  const answer = await exchange(sent, body);
  await finished(answer.resume());
  const { statusCode: status = 0 } = answer;
  if (status < 200 || status > 299) throw new Error(`${status} for ${path}`);
  return performance.now() - startedAt;
}
