/** Times the queue of open cases: with a million cases beside a thousand, and beside bare look-ups of as many rows. */
import { DatabaseSync } from 'node:sqlite';
import type { BenchContext } from '#bench/bench.ts';
import { type BenchRow, createBenchRow, formatFigure } from '#bench/report/row.ts';
import { computeMedian, computeSpread } from '#bench/report/spread.ts';
import type { BenchOffice } from '#bench/setup/office.ts';
import { OPEN_STATES } from '#cases/states.ts';
import { listCasesByDue } from '#store/desk-queue.ts';
import { toDatabasePath } from '#store/sqlite.ts';

const QUEUE_GROWTH_TARGET = 2;
const SMALLEST = 1_000;
const PAGE = 21;
const READS = 50;

export async function benchQueue(context: BenchContext): Promise<BenchRow[]> {
  const small = await context.copyFilledOffice(context, SMALLEST);
  const large = await context.copyFilledOffice(context, context.size);
  const database = new DatabaseSync(toDatabasePath(large.dataDir), { readOnly: true });
  context.after(() => database.close());
  const readBare = await createBareReader(large, database);
  const growths: number[] = [];
  const ratios: number[] = [];
  const times: number[] = [];
  for (let round = -1; round < context.rounds; round += 1) {
    context.report(`round ${round + 1} of ${context.rounds}`);
    const [few, many, bare] = [
      await measureReads(() => readQueue(small)),
      await measureReads(() => readQueue(large)),
      await measureReads(readBare),
    ];
    if (round < 0) continue;
    growths.push(many / few);
    ratios.push(many / bare);
    times.push(many);
  }
  const details = [`p50 ${formatFigure(computeMedian(times))} ms with ${context.size} cases`];
  return [
    createBenchRow({
      work: `queue of open cases, growth from ${SMALLEST} to ${context.size} cases`,
      measured: computeSpread(growths),
      unit: ' ×',
      target: QUEUE_GROWTH_TARGET,
      details,
    }),
    createBenchRow({
      work: 'queue of open cases, × prepared look-ups of as many rows',
      measured: computeSpread(ratios),
      unit: ' ×',
      target: null,
      details,
    }),
  ];
}

async function readQueue({ store }: BenchOffice) {
  const choice = { states: OPEN_STATES, withHeld: true };
  return await listCasesByDue(store.records, choice, { limit: PAGE }, Date.now());
}

async function createBareReader(
  office: BenchOffice,
  database: DatabaseSync,
): Promise<() => Promise<unknown>> {
  const ids = (await readQueue(office)).map(({ id }) => id);
  const statement = database.prepare(`select * from cases where id in (${ids.map(() => '?').join(', ')})`);
  return async () => statement.all(...ids);
}

/** Returns the median in milliseconds. */
async function measureReads(read: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < READS; count += 1) {
    const startedAt = performance.now();
    await read();
    times.push(performance.now() - startedAt);
  }
  return computeMedian(times);
}
