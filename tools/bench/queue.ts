/** Times the queue of open cases in a large office beside a small one. */
import { OPEN_STATES } from '#cases/states.ts';
import { listCasesByDue } from '#store/cases/desk-queue.ts';
import type { BenchContext } from './bench.ts';
import { measureRounds, timeRuns } from './load.ts';
import { type BenchRow, createBenchRow, divide, formatMedian } from './report.ts';

const GROWTH_TARGET = 2;
const SMALLEST = 1_000;
const PAGE = 21;
const READS = 20;

export async function benchQueue(context: BenchContext): Promise<BenchRow[]> {
  const choice = { states: OPEN_STATES, withOnHold: true };
  const openQueue = async (size: number) => {
    const { store } = await context.copyFilledOffice(context, size);
    return () => listCasesByDue(store.records, choice, { limit: PAGE }, Date.now());
  };
  const [readSmall, readLarge] = [await openQueue(SMALLEST), await openQueue(context.size)];
  const { few, many } = await measureRounds(context, {
    few: () => timeRuns(READS, readSmall),
    many: () => timeRuns(READS, readLarge),
  });
  const row = createBenchRow({
    work: `queue of open cases, growth from ${SMALLEST} to ${context.size} cases`,
    measured: divide(many, few),
    unit: ' ×',
    target: GROWTH_TARGET,
    details: [`p50 ${formatMedian(many)} ms with ${context.size} cases`],
  });
  return [row];
}
