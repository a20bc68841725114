/** Times everything with a thousand and with a million cases, on PostgreSQL with a hundred thousand. */
import type { BenchContext } from '#bench/bench.ts';
import { type BenchRow, createBenchRow, formatFigure } from '#bench/report/row.ts';
import { computeMedian, computeSpread } from '#bench/report/spread.ts';
import { createFilledOffice } from '#bench/setup/filled-office.ts';
import {
  createTimedStart,
  listTimedRequests,
  listTimedTasks,
  type TimedWork,
} from '#bench/setup/growing-office.ts';
import type { BenchOffice } from '#bench/setup/office.ts';
import { createPostgresSettings } from '#bench/setup/postgres-settings.ts';
import { startBenchSandbox } from '#bench/setup/sandbox.ts';

const GROWTH_TARGET = 2;
const SMALLEST = 1_000;
const BETWEEN = 100_000;

export async function benchGrowth(context: BenchContext): Promise<BenchRow[]> {
  const stripe = await startBenchSandbox(context);
  const sizes = [SMALLEST, BETWEEN, context.size].filter((size) => size <= context.size);
  const offices = new Map<number, BenchOffice>();
  for (const size of new Set(sizes)) offices.set(size, await context.copyFilledOffice(context, size));
  const rows = await measureGrowth(context, offices, { engine: 'SQLite', env: stripe });
  const onPostgres = new Map<number, BenchOffice>();
  const createSettings = await createPostgresSettings(context);
  for (const size of [SMALLEST, Math.min(BETWEEN, context.size)]) {
    context.report(`filling PostgreSQL with ${size} cases`);
    onPostgres.set(size, await createFilledOffice(context, size, await createSettings()));
  }
  return [...rows, ...(await measureGrowth(context, onPostgres, { engine: 'PostgreSQL', env: stripe }))];
}

interface GrowthSite {
  readonly engine: string;
  readonly env: Record<string, string>;
}

/** Work and size with the milliseconds of each round. */
type GrowthFigures = Map<string, Map<number, number[]>>;

async function measureGrowth(
  context: BenchContext,
  offices: ReadonlyMap<number, BenchOffice>,
  { engine, env }: GrowthSite,
): Promise<BenchRow[]> {
  const figures: GrowthFigures = new Map();
  const starts = new Map(
    [...offices].map(([size, office]) => [size, createTimedStart(context, office, env)] as const),
  );
  const listStarts = (size: number): TimedWork[] => [
    { name: 'start', measure: async () => (await starts.get(size)!.start()).startMs },
  ];
  await measureRounds(context, figures, new Map([...offices.keys()].map((size) => [size, listStarts(size)])));
  const requests = new Map<number, TimedWork[]>();
  for (const [size, office] of offices)
    requests.set(size, await listTimedRequests(office, await starts.get(size)!.start()));
  for (const [size, works] of requests)
    for (const { name, measure } of works) {
      context.report(`warming up: ${name} with ${size} cases`);
      await measure();
    }
  await measureRounds(context, figures, requests);
  for (const start of starts.values()) await start.stop();
  const tasks = new Map([...offices].map(([size, office]) => [size, listTimedTasks(office)] as const));
  await measureRounds(context, figures, tasks);
  return [...figures].map(([name, times]) => createGrowthRow(engine, name, times));
}

async function measureRounds(
  { rounds, report }: BenchContext,
  figures: GrowthFigures,
  worksBySize: ReadonlyMap<number, readonly TimedWork[]>,
): Promise<void> {
  const sites = [...worksBySize];
  for (let round = 0; round < rounds; round += 1)
    for (const [size, works] of round % 2 === 0 ? sites : sites.toReversed())
      for (const { name, measure } of works) {
        report(`round ${round + 1} of ${rounds}: ${name} with ${size} cases`);
        const times = figures.get(name) ?? new Map<number, number[]>();
        figures.set(name, times.set(size, [...(times.get(size) ?? []), await measure()]));
      }
}

function createGrowthRow(
  engine: string,
  work: string,
  times: ReadonlyMap<number, readonly number[]>,
): BenchRow {
  const sizes = [...times.keys()].toSorted((one, other) => one - other);
  const smallest = times.get(sizes[0]!)!;
  const ratios = times.get(sizes.at(-1)!)!.map((time, round) => time / smallest[round]!);
  return createBenchRow({
    work,
    group: `growth from ${sizes[0]} to ${sizes.at(-1)} cases on ${engine}`,
    measured: computeSpread(ratios),
    unit: ' ×',
    target: GROWTH_TARGET,
    details: sizes.map((size) => `p50 ${formatFigure(computeMedian(times.get(size)!))} ms with ${size}`),
  });
}
