/** One office of a growth bench: its service, and everything whose time may grow with what is stored. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { measureSequence } from '#bench/load/sequence.ts';
import { type BenchTarget, startBenchTarget } from '#bench/load/target.ts';
import { computeMedian } from '#bench/report/spread.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { createHttpsClient } from '#test/https-client.ts';
import type { BenchOffice } from './office.ts';
import { purgeSomeCases } from './purge-run.ts';
import { createRequestTypes } from './request-types.ts';

const REQUESTS = 40;

export interface TimedWork {
  readonly name: string;
  /** Returns milliseconds. */
  readonly measure: () => Promise<number>;
}

/** Every start stops the service that was started before. */
export function createTimedStart(t: CleanupScope, office: BenchOffice, env: Record<string, string>) {
  let target: BenchTarget | undefined;
  const start = async () => {
    await target?.stop();
    target = await startBenchTarget(t, {
      name: `Inquiry Office, ${office.dataDir}`,
      env: { ...office.env, ...env },
    });
    return target;
  };
  return { start, stop: async () => await target?.stop() };
}

export async function listTimedRequests(office: BenchOffice, target: BenchTarget): Promise<TimedWork[]> {
  const get = await createHttpsClient(target.origin, office.dataDir);
  const types = await createRequestTypes(office, get, REQUESTS + 1);
  return types.map(({ name, load }) => ({
    name,
    measure: async () => computeMedian(await measureSequence(target, load, REQUESTS)),
  }));
}

/** While no service runs, which would do some of it. */
export function listTimedTasks(office: BenchOffice): TimedWork[] {
  return [
    { name: '`cases due`', measure: () => measureCommand(office, ['cases', 'due']) },
    { name: 'purge of 50 cases', measure: async () => (await purgeSomeCases(office)).milliseconds },
  ];
}

async function measureCommand({ env }: BenchOffice, args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['bin/office.js', ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return performance.now() - startedAt;
}
