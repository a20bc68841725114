/** Measures all operations with a thousand and with a million cases; on PostgreSQL, with a hundred thousand. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { OPEN_STATES } from '#cases/states.ts';
import { listCasesByDue } from '#store/cases/desk-queue.ts';
import { createHttpsClient } from '#test/https-client.ts';
import { openPostgresEngine } from '#test/store/engines.ts';
import { type BenchContext, measureRounds } from './bench.ts';
import { createFilledOffice } from './filled-office.ts';
import { measureSequence } from './load.ts';
import { type BenchOffice, createOperationLoads, prepareOperations } from './office.ts';
import { type BenchRow, createBenchRow, divide, formatMedian } from './table.ts';
import { startBenchTarget } from './target.ts';
import { purgeSomeCases } from './turns.ts';

const GROWTH_TARGET = 2;
const SMALL_SIZE = 1_000;
const MAX_POSTGRES_SIZE = 100_000;
const REQUESTS = 40;
const PAGE = { limit: 21 };
const READS = 20;

export async function benchGrowth(context: BenchContext): Promise<BenchRow[]> {
  const onSqlite = await measureGrowth(context, 'SQLite', context.size, async () => ({}));
  const { createDatabase } = await openPostgresEngine(context);
  const size = Math.min(MAX_POSTGRES_SIZE, context.size);
  const onPostgres = await measureGrowth(
    context,
    'PostgreSQL',
    size,
    async () => (await createDatabase(context)).env,
  );
  return [...onSqlite, ...onPostgres];
}

async function measureGrowth(
  context: BenchContext,
  engine: string,
  size: number,
  createDatabase: () => Promise<Record<string, string>>,
): Promise<BenchRow[]> {
  const settings = await prepareOperations(context);
  const openWorks = async (count: number) => {
    context.report(`filling ${engine} with ${count} cases`);
    return await listWorks(
      context,
      await createFilledOffice(context, count, await createDatabase()),
      settings,
    );
  };
  const small = await openWorks(SMALL_SIZE);
  const large = await openWorks(size);
  const rows: BenchRow[] = [];
  for (const name of Object.keys(small)) {
    const pair = { small: small[name]!, large: large[name]! };
    const report = (text: string) => context.report(`${name} on ${engine}, ${text}`);
    const times = await measureRounds({ ...context, report }, pair);
    rows.push(
      createBenchRow({
        work: `growth from ${SMALL_SIZE} to ${size} cases on ${engine}: ${name}`,
        measured: divide(times.large, times.small),
        unit: ' ×',
        target: GROWTH_TARGET,
        details: [`${formatMedian(times.large)} ms (small ${formatMedian(times.small)})`],
      }),
    );
  }
  return rows;
}

/** Returns the measured works by name, in this order; each returns milliseconds. */
async function listWorks(
  context: BenchContext,
  office: BenchOffice,
  settings: Record<string, string>,
): Promise<Record<string, () => Promise<number>>> {
  const start = () => startBenchTarget(context, { env: { ...office.env, ...settings } });
  let target = await start();
  const get = await createHttpsClient(target.origin, office.dataDir);
  const loads = await createOperationLoads(office, get, REQUESTS + 1);
  const choice = { states: OPEN_STATES, withOnHold: true };
  return {
    start: async () => {
      await target.stop();
      target = await start();
      return target.startMs;
    },
    ...Object.fromEntries(
      Object.entries(loads).map(([name, load]) => [name, () => measureSequence(target, load, REQUESTS)]),
    ),
    'queue of open cases': () =>
      timeWork(READS, () => listCasesByDue(office.store.records, choice, PAGE, Date.now())),
    '`cases due`': () => timeWork(1, () => runCommand(office, ['cases', 'due'])),
    'purge of 50 cases': async () => (await purgeSomeCases(office)).milliseconds,
  };
}

async function runCommand({ env }: BenchOffice, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, ['bin/office.js', ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
}

async function timeWork(times: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let time = 0; time < times; time += 1) await work();
  return (performance.now() - startedAt) / times;
}
