/** Starts a server to be measured in its own process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';
import { findFreePorts } from '#test/ports.ts';
import { SYNC_TRACER, toTracerArguments } from './sync-tracer.ts';

const MAX_START_MS = 120_000;
const MAX_STOP_MS = 20_000;
const START_PAUSE_MS = 10;
const MAX_OUTPUT_CHARACTERS = 4_000;
const PRELOADED = ['usage-reporter.ts', 'turn-reporter.ts'].flatMap((name) => [
  '--import',
  new URL(name, import.meta.url).href,
]);

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
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

export interface TargetProgram {
  readonly name: string;
  /** A server of `bench/bare/`; without one it is the service. */
  readonly script?: string;
  readonly env?: Record<string, string>;
  /** A file for the trace of its syncs. */
  readonly traceFile?: string;
  /** Without anything preloaded, to measure its start. */
  readonly untouched?: boolean;
}

export async function startBenchTarget(t: CleanupScope, program: TargetProgram): Promise<BenchTarget> {
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
    throw new Error(`${program.name} did not start:\n${readOutput()}`, { cause: error });
  });
  const startMs = performance.now() - startedAt;
  return {
    name: program.name,
    origin,
    startMs,
    pid: child.pid ?? 0,
    usage: () => askReporter<ProcessUsage>(child, 'usage'),
    longestTurn: () => askReporter<LongestTurn>(child, 'turns'),
    stop,
  };
}

function launchProgram(program: TargetProgram, place: Record<string, string>): ChildProcess {
  const { script, env, traceFile, untouched = false } = program;
  const node = [...(untouched ? [] : PRELOADED), ...(script ? [script] : readServeArguments())];
  const [command, args] = traceFile
    ? [SYNC_TRACER, [...toTracerArguments(traceFile), process.execPath, ...node]]
    : [process.execPath, node];
  return spawn(command, args, {
    env: { PATH: process.env['PATH'], RATE_LIMIT: 'off', ...place, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
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
  const traced = child.spawnfile === SYNC_TRACER ? await askReporter<ProcessUsage>(child, 'usage') : null;
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
  while (!(await isAnswering(origin))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`nothing answers at ${origin}`);
    await sleep(START_PAUSE_MS);
  }
}

function isAnswering(origin: string): Promise<boolean> {
  return new Promise((resolve) => {
    const agent = new Agent({ rejectUnauthorized: false });
    request(`${origin}/api/health`, { agent }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
      .once('error', () => resolve(false))
      .end();
  });
}
