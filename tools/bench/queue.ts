/** Times the queue of open cases: with a million cases beside a thousand. */
import { OPEN_STATES } from '#cases/states.ts';
import { listCasesByDue } from '#store/desk-queue.ts';
import type { BenchContext } from './bench.ts';
import { measureRounds, timeRuns } from './load.ts';
import type { BenchOffice } from './office.ts';
import { type BenchRow, createBenchRow, divide, formatMedian } from './report.ts';

const QUEUE_GROWTH_TARGET = 2;
const SMALLEST = 1_000;
const PAGE = 21;
const READS = 50;

export async function benchQueue(context: BenchContext): Promise<BenchRow[]> {
  const small = await context.copyFilledOffice(context, SMALLEST);
  const large = await context.copyFilledOffice(context, context.size);
  const { few, many } = await measureRounds(context, {
    few: () => timeRuns(READS, () => readQueue(small)),
    many: () => timeRuns(READS, () => readQueue(large)),
  });
  return [
    createBenchRow({
      work: `queue of open cases, growth from ${SMALLEST} to ${context.size} cases`,
      measured: divide(many, few),
      unit: ' ×',
      target: QUEUE_GROWTH_TARGET,
      details: [`p50 ${formatMedian(many)} ms with ${context.size} cases`],
    }),
  ];
}

async function readQueue({ store }: BenchOffice) {
  const choice = { states: OPEN_STATES, withHeld: true };
  return await listCasesByDue(store.records, choice, { limit: PAGE }, Date.now());
}
