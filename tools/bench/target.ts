/** Starts a server to be measured in its own process, and counts its syncs where `strace` exists and may trace. */
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
const MAX_STOP_MS = 20_000;
const GIVE_UP_MS = 30_000;
const START_PAUSE_MS = 10;
const MAX_OUTPUT_CHARACTERS = 4_000;
const REPORTER = new URL('reporter.ts', import.meta.url).href;
const BARE_SERVER = 'tools/bench/bare-server.ts';
const TRACER = 'strace';
export const NO_TRACER = `not measured: ${TRACER} is missing, or may not trace here`;

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

export interface BenchTarget {
  readonly name: string;
  readonly origin: string;
  /** From the start of the process to the first 200. */
  readonly startMs: number;
  readonly usage: () => Promise<ProcessUsage>;
  /** Since the last time that it was asked. */
  readonly longestTurn: () => Promise<LongestTurn>;
  readonly stop: () => Promise<void>;
}

interface TargetProgram {
  /** What to compare with; without one it is the service. */
  readonly bare?: 'inquiry' | 'statements' | 'read' | 'token';
  readonly env?: Record<string, string>;
  /** A file for the trace of its syncs. */
  readonly traceFile?: string;
  /** Without anything preloaded, to measure its start. */
  readonly untouched?: boolean;
}

export async function startBenchTarget(t: CleanupScope, program: TargetProgram): Promise<BenchTarget> {
  const name = program.bare ? `bare ${program.bare} server` : 'the service';
  const [port = 0] = await findFreePorts(1);
  const dataDir = program.env?.['DATA_DIR'] ?? (await createTemporaryFolder(t));
  const startedAt = performance.now();
  const child = launchProgram(program, { PORT: String(port), HTTP_PORT: 'off', DATA_DIR: dataDir });
  const readOutput = collectOutput(child);
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= stopProgram(child));
  t.after(stop);
  const origin = `https://localhost:${port}`;
  await waitUntilReady(child, origin).catch((error: unknown) => {
    throw new Error(`${name} did not start:\n${readOutput()}`, { cause: error });
  });
  const startMs = performance.now() - startedAt;
  return {
    name,
    origin,
    startMs,
    usage: () => askReporter<ProcessUsage>(child, 'usage'),
    longestTurn: () => askReporter<LongestTurn>(child, 'turns'),
    stop,
  };
}

function launchProgram(program: TargetProgram, place: Record<string, string>): ChildProcess {
  const { bare, env, traceFile, untouched = false } = program;
  const node = [
    ...(untouched ? [] : ['--import', REPORTER]),
    ...(bare ? [BARE_SERVER, bare] : readServeArguments()),
  ];
  const [command, args] = traceFile
    ? [TRACER, [...toTracerArguments(traceFile), process.execPath, ...node]]
    : [process.execPath, node];
  return spawn(command, args, {
    env: { PATH: process.env['PATH'], RATE_LIMIT: 'off', ...place, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

function toTracerArguments(file: string): string[] {
  return ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', file];
}

export function canTraceSyncs(): boolean {
  return spawnSync(TRACER, [...toTracerArguments('/dev/null'), 'true']).status === 0;
}

export async function readSyncCount(traceFile: string): Promise<number> {
  return countTracedSyncs(await readFile(traceFile, 'utf8'));
}

/** A call during which another thread was scheduled has a second line, without the parenthesis. */
export function countTracedSyncs(trace: string): number {
  return trace.match(/\bf(?:data)?sync\(/g)?.length ?? 0;
}

/** What `npm run serve` gives to Node. */
function readServeArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { serve: string } };
  return scripts.serve.replace(/^exec node /, '').split(' ');
}

/** Read all the time, so that the program never waits for a reader. */
function collectOutput(child: ChildProcess): () => string {
  let output = '';
  child.stderr?.on('data', (chunk) => (output = `${output}${chunk}`.slice(-MAX_OUTPUT_CHARACTERS)));
  return () => output;
}

async function askReporter<Answer>(child: ChildProcess, question: string): Promise<Answer> {
  child.send(question);
  const [answer] = (await once(child, 'message')) as [Answer];
  return answer;
}

/** The tracer keeps signals to itself, so the traced process is asked for its own id. */
async function stopProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const traced = child.spawnfile === TRACER ? await askReporter<ProcessUsage>(child, 'usage') : null;
  if (traced) process.kill(traced.pid, 'SIGTERM');
  else child.kill('SIGTERM');
  const ended = await Promise.race([exited, sleep(MAX_STOP_MS, null, { ref: false })]);
  if (ended) return;
  if (traced) process.kill(traced.pid, 'SIGKILL');
  child.kill('SIGKILL');
  await exited;
}

async function waitUntilReady(child: ChildProcess, origin: string): Promise<void> {
  const deadline = Date.now() + MAX_START_MS;
  const agent = new Agent({ rejectUnauthorized: false });
  while ((await sendRequest(agent, origin, { path: '/api/health' })).status !== 200) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`nothing answers at ${origin}`);
    await sleep(START_PAUSE_MS);
  }
}

interface TimedAnswer {
  /** 0 if there was none. */
  readonly status: number;
  readonly ms: number;
}

export async function sendRequest(
  agent: Agent,
  origin: string,
  { path, method = 'GET', headers = {}, body = '' }: BenchRequest,
): Promise<TimedAnswer> {
  const startedAt = performance.now();
  const length = method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { agent, method, headers: { ...headers, ...length }, timeout: GIVE_UP_MS };
  const sent = request(origin + path, options);
  sent.once('timeout', () => sent.destroy());
  const status = await exchange(sent, body).then(
    async (answer) => {
      await finished(answer.resume()).catch(() => undefined);
      return answer.statusCode ?? 0;
    },
    () => 0,
  );
  return { status, ms: performance.now() - startedAt };
}
