/** Starts a server to be measured in its own process. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '#test/ports.ts';

const MAX_START_MS = 20_000;

interface ProcessUsage {
  readonly cpuMicroseconds: number;
  readonly rssBytes: number;
}

export interface BenchTarget {
  readonly name: string;
  readonly origin: string;
  /** Additional headers for this target's requests. */
  readonly headers?: Record<string, string>;
  readonly usage: () => Promise<ProcessUsage>;
  readonly stop: () => Promise<void>;
}

interface TargetProgram {
  readonly name: string;
  readonly script: string;
  readonly env?: Record<string, string>;
}

export async function startBenchTarget({ name, script, env = {} }: TargetProgram): Promise<BenchTarget> {
  const [port = 0] = await findFreePorts(1);
  const dataDir = await mkdtemp(join(tmpdir(), 'inquiry-office-bench-'));
  const child = fork(script, {
    execArgv: ['--import', new URL('cpu-reporter.ts', import.meta.url).href],
    env: { PATH: process.env['PATH'], PORT: String(port), HTTP_PORT: 'off', DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const origin = `https://localhost:${port}`;
  await waitUntilReady(child, origin);
  return {
    name,
    origin,
    usage: async () => {
      child.send('usage');
      const [usage] = (await once(child, 'message')) as [ProcessUsage];
      return usage;
    },
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function waitUntilReady(child: ChildProcess, origin: string): Promise<void> {
  const deadline = Date.now() + MAX_START_MS;
  while (!(await isAnswering(origin))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`nothing answers at ${origin}`);
    await sleep(20);
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
