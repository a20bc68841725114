/** Measures the start, and the longest turns of the event loop: while purging, in sweeps and in every request. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createPurger } from '#cases/ending/purge.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import { createClockGuard } from '#store/clock-guard.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { createHttpsClient } from '#test/https-client.ts';
import { silentLog } from '#test/store/engines.ts';
import { insertSweptRows } from '#test/store/swept-rows.ts';
import { type BenchContext, measureRounds } from './bench.ts';
import { createFilledOffice } from './filled-office.ts';
import { measureLoad } from './load.ts';
import { type BenchOffice, createBenchOffice, createOperationLoads, prepareOperations } from './office.ts';
import { type BenchRow, computeMedian, createBenchRow, formatFigure, formatMedian } from './table.ts';
import { type BenchTarget, type LongestTurn, startBenchTarget } from './target.ts';

const START_TARGET = { unit: ' s', target: 1 };
const MEMORY_TARGET = { unit: ' MB', target: 160 };
const TURN_TARGET = { unit: ' ms', target: 50 };
const START_CASES = 1_000;
/** Longer than the first sweeps take. */
const REST_MS = 5_000;
const PURGED_CASES = 50;
const LARGE_CASE_ROUNDS = 3;
/** The size of each of the three objects of the large case. */
const OBJECT_BYTES = 64 * MAX_STORED_PIECE_BYTES;
const DUE_SHARE = 50;
const DUE_CASES = 1_000;
const MAX_SWEEP_SECONDS = 300;
const REQUESTS = { amount: 96, connections: 16 };

export async function benchStart(context: BenchContext): Promise<BenchRow[]> {
  const { env } = await createFilledOffice(context, START_CASES);
  const startAndStop = async () => {
    const { startMs, stop } = await startBenchTarget(context, { env });
    await stop();
    return startMs / 1_000;
  };
  const { start } = await measureRounds(context, { start: startAndStop });
  const target = await startBenchTarget(context, { env });
  await sleep(REST_MS);
  const { rssBytes } = await target.usage();
  const work = `start to the first 200 with ${START_CASES} cases over TLS and a warm cache`;
  return [
    createBenchRow({ work, measured: start, ...START_TARGET }),
    createBenchRow({ work: 'memory at rest (RSS)', measured: [rssBytes / 1e6], ...MEMORY_TARGET }),
  ];
}

export async function benchPurge(context: BenchContext): Promise<BenchRow[]> {
  const { size, rounds } = context;
  const full = await createFilledOffice(context, size);
  const measurePurge = async () => (await purgeSomeCases(full)).longestTurnMs;
  const { many } = await measureRounds(context, { many: measurePurge });
  const empty = await createBenchOffice(context);
  const measureLarge = async () => {
    await seedCase(empty.store, { purge_at: clock.now() - 1 }, OBJECT_BYTES);
    return (await purgeSomeCases(empty)).longestTurnMs;
  };
  const fewer = { ...context, rounds: Math.min(rounds, LARGE_CASE_ROUNDS) };
  const { large } = await measureRounds(fewer, { large: measureLarge });
  const mebibytes = (3 * OBJECT_BYTES) / 1_048_576;
  return [
    createBenchRow({
      work: `purge of ${PURGED_CASES} of ${size} cases, longest turn`,
      measured: many,
      ...TURN_TARGET,
    }),
    createBenchRow({
      work: `purge of a case of ${mebibytes} MiB, longest turn`,
      measured: large,
      ...TURN_TARGET,
    }),
  ];
}

/** Makes some cases due and purges them as the periodic task does, in this process, so that only this is measured. */
export async function purgeSomeCases(office: BenchOffice) {
  await makeCasesDue(office, PURGED_CASES);
  const { store, keyring } = office;
  const clockGuard = createClockGuard({ clock, store, log: silentLog });
  const purger = createPurger({ clock, clockGuard, keyring, store }, silentLog);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  await purger.run();
  const milliseconds = performance.now() - startedAt;
  delay.disable();
  const { rows } = await sql`select id from cases where purge_at <= ${clock.now()}`.execute(store.records);
  if (rows.length > 0) throw new Error('cases that are due were not purged');
  return { milliseconds, longestTurnMs: delay.max / 1e6 };
}

async function makeCasesDue({ store }: BenchOffice, cases: number): Promise<void> {
  const now = clock.now();
  await sql`update cases set purge_at = ${now - 1} where id in (
    select id from cases where purge_at > ${now} order by purge_at limit ${sql.lit(cases)}
  )`.execute(store.records);
}

export async function benchTurns(context: BenchContext): Promise<BenchRow[]> {
  const office = await createFilledOffice(context, context.size);
  await insertSweptRows(office.store.records, Math.ceil(context.size / DUE_SHARE));
  await makeCasesDue(office, DUE_CASES);
  const env = { ...office.env, ...(await prepareOperations(context)) };
  const target = await startBenchTarget(context, { env });
  const sweeps = await measureSweeps(context, office, target);
  return [sweeps, await measureRequestTurns(context, office, target)];
}

async function measureSweeps(
  { report, size }: BenchContext,
  office: BenchOffice,
  target: BenchTarget,
): Promise<BenchRow> {
  // Resets the figure: work before the first answer delayed no request.
  await target.longestTurn();
  let left = await countDueRows(office);
  for (let second = 0; second < MAX_SWEEP_SECONDS && left > 0; second += 1) {
    report(`sweeps: ${left} rows left`);
    await sleep(1_000);
    left = await countDueRows(office);
  }
  const { ms, cpuMs } = await target.longestTurn();
  const done = left === 0 ? 'everything due was done' : `${left} rows were left`;
  return createBenchRow({
    work: `longest turn, all sweeps with ${size} cases`,
    measured: [ms],
    ...TURN_TARGET,
    details: [`CPU of it ${formatFigure(cpuMs)} ms`, done],
  });
}

/** Counts what the largest periodic tasks have still to do. */
async function countDueRows({ store }: BenchOffice): Promise<number> {
  const now = clock.now();
  const { rows } = await sql<{ due: number }>`select
    (select count(*) from tokens where expires_at < ${now})
    + (select count(*) from orders where return_link_at < ${now})
    + (select count(*) from tombstones where forget_at < ${now})
    + (select count(*) from objects where case_id is null)
    + (select count(*) from cases where purge_at < ${now}) as due`.execute(store.records);
  return Number(rows[0]?.due);
}

async function measureRequestTurns(
  context: BenchContext,
  office: BenchOffice,
  target: BenchTarget,
): Promise<BenchRow> {
  const get = await createHttpsClient(target.origin, office.dataDir);
  const loads = await createOperationLoads(office, get, REQUESTS.amount);
  // Preparing the loads sent the first inquiry, which searches for the first free key slot.
  const first = { 'first inquiry after the start': [await target.longestTurn()] };
  const works = Object.entries(loads).map(([name, load]) => {
    const measureTurn = async () => {
      await target.longestTurn();
      await measureLoad(target, load, REQUESTS);
      return await target.longestTurn();
    };
    return [name, measureTurn] as const;
  });
  const turns = { ...first, ...(await measureRounds(context, Object.fromEntries(works))) };
  const pick = (all: readonly LongestTurn[], key: keyof LongestTurn) => all.map((turn) => turn[key]);
  const longestFirst = Object.entries(turns).toSorted(
    ([, one], [, other]) => computeMedian(pick(other, 'ms')) - computeMedian(pick(one, 'ms')),
  );
  return createBenchRow({
    work: `longest turn, every request with ${context.size} cases`,
    measured: pick(longestFirst[0]![1], 'ms'),
    ...TURN_TARGET,
    details: longestFirst.map(
      ([name, all]) => `${name} ${formatMedian(pick(all, 'ms'))} (CPU ${formatMedian(pick(all, 'cpuMs'))})`,
    ),
  });
}
