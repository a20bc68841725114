/** Times everything with a thousand and with a million cases, on PostgreSQL with a hundred thousand. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { OPEN_STATES } from '#cases/states.ts';
import { listCasesByDue } from '#store/cases/desk-queue.ts';
import { createHttpsClient } from '#test/https-client.ts';
import type { BenchContext } from './bench.ts';
import { openPostgresOffices } from './filled-office.ts';
import { measureRounds, measureSequence, timeRuns } from './load.ts';
import { type BenchOffice, startBenchSandbox } from './office.ts';
import { purgeSomeCases } from './purge.ts';
import { type BenchRow, computeMedian, createBenchRow, divide, formatMedian } from './report.ts';
import { createRequestTypes } from './request-types.ts';
import { type BenchTarget, startBenchTarget } from './target.ts';

const GROWTH_TARGET = 2;
const SMALLEST = 1_000;
const BETWEEN = 100_000;
const REQUESTS = 40;
const PAGE = { limit: 21 };
const READS = 20;

export async function benchGrowth(context: BenchContext): Promise<BenchRow[]> {
  const stripe = await startBenchSandbox(context);
  const sizes = [SMALLEST, BETWEEN, context.size].filter((size) => size <= context.size);
  const onSqlite = new Map<number, BenchOffice>();
  for (const size of new Set(sizes)) onSqlite.set(size, await context.copyFilledOffice(context, size));
  const rows = await measureGrowth(context, onSqlite, 'SQLite', stripe);
  const onPostgres = new Map<number, BenchOffice>();
  const fillOffice = await openPostgresOffices(context);
  for (const size of [SMALLEST, Math.min(BETWEEN, context.size)]) {
    context.report(`filling PostgreSQL with ${size} cases`);
    onPostgres.set(size, await fillOffice(size));
  }
  return [...rows, ...(await measureGrowth(context, onPostgres, 'PostgreSQL', stripe))];
}

/** What is measured, by its name; each returns milliseconds. */
type TimedWorks = Readonly<Record<string, () => Promise<number>>>;
type SizedWorks = ReadonlyMap<number, TimedWorks>;

async function measureGrowth(
  context: BenchContext,
  offices: ReadonlyMap<number, BenchOffice>,
  engine: string,
  env: Record<string, string>,
): Promise<BenchRow[]> {
  const targets = new Map<number, BenchTarget>();
  const restart = async (size: number, office: BenchOffice) => {
    await targets.get(size)?.stop();
    const target = await startBenchTarget(context, { env: { ...office.env, ...env } });
    targets.set(size, target);
    return target.startMs;
  };
  const starts = new Map(
    [...offices].map(([size, office]) => [size, { start: () => restart(size, office) }]),
  );
  const rows = await measureSizes(context, engine, starts);
  const requests = new Map<number, TimedWorks>();
  for (const [size, office] of offices) requests.set(size, await listRequests(office, targets.get(size)!));
  rows.push(...(await measureSizes(context, engine, requests)));
  // A service that ran would do some of the tasks.
  for (const target of targets.values()) await target.stop();
  const tasks = new Map([...offices].map(([size, office]) => [size, listTasks(office)]));
  return [...rows, ...(await measureSizes(context, engine, tasks))];
}

async function listRequests(office: BenchOffice, target: BenchTarget): Promise<TimedWorks> {
  const get = await createHttpsClient(target.origin, office.dataDir);
  const types = await createRequestTypes(office, get, REQUESTS + 1);
  return Object.fromEntries(
    types.map(({ name, load }) => [
      name,
      async () => computeMedian(await measureSequence(target, load, REQUESTS)),
    ]),
  );
}

function listTasks(office: BenchOffice): TimedWorks {
  const choice = { states: OPEN_STATES, withOnHold: true };
  const readQueue = () => listCasesByDue(office.store.records, choice, PAGE, Date.now());
  return {
    'queue of open cases': () => timeRuns(READS, readQueue),
    '`cases due`': () => measureCommand(office, ['cases', 'due']),
    'purge of 50 cases': async () => (await purgeSomeCases(office)).milliseconds,
  };
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

async function measureSizes(context: BenchContext, engine: string, sites: SizedWorks): Promise<BenchRow[]> {
  const label = (name: string, size: number) => `${name} with ${size} cases`;
  const works = [...sites].flatMap(([size, timed]) =>
    Object.entries(timed).map(([name, measure]) => [label(name, size), measure] as const),
  );
  const figures = await measureRounds(context, Object.fromEntries(works));
  const sizes = [...sites.keys()].toSorted((one, other) => one - other);
  const [smallest, largest] = [sizes[0]!, sizes.at(-1)!];
  return Object.keys(sites.get(smallest)!).map((name) => {
    const timesWith = (size: number) => figures[label(name, size)]!;
    return createBenchRow({
      work: `growth from ${smallest} to ${largest} cases on ${engine}: ${name}`,
      measured: divide(timesWith(largest), timesWith(smallest)),
      unit: ' ×',
      target: GROWTH_TARGET,
      details: sizes.map((size) => `p50 ${formatMedian(timesWith(size))} ms with ${size}`),
    });
  });
}
