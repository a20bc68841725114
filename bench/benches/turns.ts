/** Measures the longest turn of the event loop while the service sweeps a large store and answers every type of request. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from '#bench/bench.ts';
import { measureLoad } from '#bench/load/measure.ts';
import { type BenchTarget, type LongestTurn, startBenchTarget } from '#bench/load/target.ts';
import { type BenchRow, createBenchRow, formatFigure } from '#bench/report/row.ts';
import { computeMedian, computeSpread } from '#bench/report/spread.ts';
import { countDueRows, insertDueRows } from '#bench/setup/due-rows.ts';
import type { BenchOffice } from '#bench/setup/office.ts';
import { createOtherRequestTypes, createRequestTypes, type RequestType } from '#bench/setup/request-types.ts';
import { startBenchSandbox } from '#bench/setup/sandbox.ts';
import { requestBearer } from '#bench/setup/token-request.ts';
import { createHttpsClient } from '#test/https-client.ts';

const LONGEST_TURN_MS = 50;
const DUE_SHARE = 50;
const MAX_SWEEP_SECONDS = 120;
const REQUESTS = 96;
const CONNECTIONS = 16;

export async function benchTurns(context: BenchContext): Promise<BenchRow[]> {
  const office = await context.copyFilledOffice(context, context.size);
  context.report('adding what is due');
  await insertDueRows(office, Math.ceil(context.size / DUE_SHARE));
  // One sweep at the start, and none while requests are measured.
  const env = { ...office.env, ...(await startBenchSandbox(context)), SWEEP_SECONDS: '3600' };
  const target = await startBenchTarget(context, { name: 'Inquiry Office', env });
  const sweeps = await measureSweeps(context, office, target);
  const requests = await measureRequestTurns(context, office, target);
  return [sweeps, requests];
}

async function measureSweeps(
  { report, size }: BenchContext,
  office: BenchOffice,
  target: BenchTarget,
): Promise<BenchRow> {
  // What came before the first answer stopped nobody.
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
    measured: computeSpread([turn.ms]),
    unit: ' ms',
    target: LONGEST_TURN_MS,
    details: [
      `CPU of it ${formatFigure(turn.cpuMs)} ms`,
      left === 0 ? 'everything due was done' : `${left} rows were left`,
    ],
  });
}

async function measureRequestTurns(
  { report, rounds, size }: BenchContext,
  office: BenchOffice,
  target: BenchTarget,
): Promise<BenchRow> {
  const types = await listRequestTypes(office, target, rounds);
  const turns = new Map<string, LongestTurn[]>(types.map(({ name }) => [name, []]));
  // Made while the types were prepared; it looks for the first free place of a key.
  turns.set('first inquiry after the start', [await target.longestTurn()]);
  for (let round = 0; round <= rounds; round += 1)
    for (const { name, load } of types) {
      report(`round ${round} of ${rounds}: ${name}`);
      await target.longestTurn();
      await measureLoad(
        target,
        { ...load, connections: CONNECTIONS, mayBeRefused: true },
        { requests: REQUESTS },
      );
      const turn = await target.longestTurn();
      // The first round compiles.
      if (round > 0) turns.get(name)?.push(turn);
    }
  const typical = [...turns].map(([name, all]) => ({
    name,
    spread: computeSpread(all.map(({ ms }) => ms)),
    cpu: computeMedian(all.map(({ cpuMs }) => cpuMs)),
  }));
  const longestFirst = typical.toSorted((one, other) => other.spread.median - one.spread.median);
  return createBenchRow({
    work: `longest turn, every type of request with ${size} cases`,
    measured: longestFirst[0]!.spread,
    unit: ' ms',
    target: LONGEST_TURN_MS,
    details: longestFirst.map(
      ({ name, spread, cpu }) => `${name} ${formatFigure(spread.median)} (CPU ${formatFigure(cpu)})`,
    ),
  });
}

async function listRequestTypes(
  office: BenchOffice,
  target: BenchTarget,
  rounds: number,
): Promise<RequestType[]> {
  const get = await createHttpsClient(target.origin, office.dataDir);
  const headers = await requestBearer(get, office.client);
  return [
    ...(await createRequestTypes(office, get, REQUESTS)),
    ...(await createOtherRequestTypes(office, headers, REQUESTS * (rounds + 1))),
  ];
}
