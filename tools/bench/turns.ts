/** Measures the longest turn of the event loop while the service sweeps a large store and answers every type of request. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createHttpsClient } from '#test/https-client.ts';
import { requestBearer } from '#test/oauth/oauth-test-app.ts';
import { insertSweptRows } from '#test/store/swept-rows.ts';
import type { BenchContext } from './bench.ts';
import { type BenchLoad, measureLoad, measureRounds } from './load.ts';
import { type BenchOffice, startBenchSandbox } from './office.ts';
import { makeCasesDue } from './purge.ts';
import { type BenchRow, computeMedian, createBenchRow, formatFigure, formatMedian } from './report.ts';
import { createOtherRequestTypes, createRequestTypes } from './request-types.ts';
import { type BenchTarget, type LongestTurn, startBenchTarget } from './target.ts';

const LONGEST_TURN_MS = 50;
const DUE_SHARE = 50;
const DUE_CASES = 1_000;
const MAX_SWEEP_SECONDS = 300;
const REQUESTS = 96;
const CONNECTIONS = 16;

export async function benchTurns(context: BenchContext): Promise<BenchRow[]> {
  const office = await context.copyFilledOffice(context, context.size);
  context.report('adding what is due');
  await insertSweptRows(office.store.records, Math.ceil(context.size / DUE_SHARE));
  await makeCasesDue(office, DUE_CASES);
  // One sweep at the start, and none while requests are measured.
  const env = { ...office.env, ...(await startBenchSandbox(context)), SWEEP_SECONDS: '3600' };
  const target = await startBenchTarget(context, { env });
  const sweeps = await measureSweeps(context, office, target);
  const requests = await measureRequestTurns(context, office, target);
  return [sweeps, requests];
}

async function measureSweeps(
  { report, size }: BenchContext,
  office: BenchOffice,
  target: BenchTarget,
): Promise<BenchRow> {
  // What came before the first answer stopped no request.
  await target.longestTurn();
  let left = await countDueRows(office);
  for (let second = 0; second < MAX_SWEEP_SECONDS && left > 0; second += 1) {
    report(`sweeps: ${left} rows left`);
    await sleep(1_000);
    left = await countDueRows(office);
  }
  const turn = await target.longestTurn();
  return createBenchRow({
    work: `longest turn, all sweeps with ${size} cases`,
    measured: [turn.ms],
    unit: ' ms',
    target: LONGEST_TURN_MS,
    details: [
      `CPU of it ${formatFigure(turn.cpuMs)} ms`,
      left === 0 ? 'everything due was done' : `${left} rows were left`,
    ],
  });
}

/** Zero once the largest of the periodic tasks have done everything. */
async function countDueRows({ store }: BenchOffice): Promise<number> {
  const now = Date.now();
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
  const { rounds, size } = context;
  const get = await createHttpsClient(target.origin, office.dataDir);
  const headers = await requestBearer(get, office.client);
  const types = [
    ...(await createRequestTypes(office, get, REQUESTS)),
    ...(await createOtherRequestTypes(office, headers, REQUESTS * (rounds + 1))),
  ];
  // Made while the types were prepared; it looks for the first free place of a key.
  const first = { 'first inquiry after the start': [await target.longestTurn()] };
  const measureTurn = async (load: BenchLoad): Promise<LongestTurn> => {
    await target.longestTurn();
    const crowded = { ...load, connections: CONNECTIONS, mayBeRefused: true };
    await measureLoad(target, crowded, { requests: REQUESTS });
    return await target.longestTurn();
  };
  const works = types.map(({ name, load }) => [name, () => measureTurn(load)] as const);
  const turns = { ...first, ...(await measureRounds(context, Object.fromEntries(works))) };
  const pick = (all: readonly LongestTurn[], key: keyof LongestTurn) => all.map((turn) => turn[key]);
  const longestFirst = Object.entries(turns).toSorted(
    ([, one], [, other]) => computeMedian(pick(other, 'ms')) - computeMedian(pick(one, 'ms')),
  );
  return createBenchRow({
    work: `longest turn, every type of request with ${size} cases`,
    measured: pick(longestFirst[0]![1], 'ms'),
    unit: ' ms',
    target: LONGEST_TURN_MS,
    details: longestFirst.map(
      ([name, all]) => `${name} ${formatMedian(pick(all, 'ms'))} (CPU ${formatMedian(pick(all, 'cpuMs'))})`,
    ),
  });
}
