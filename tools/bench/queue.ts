/** Times the queue of open cases in a large office beside a small one: as it is read, and as a page at the desk. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPEN_STATES } from '#cases/states.ts';
import { parseOfficeAddress } from '#desk/office/office-address.ts';
import { connectOffice, type OfficeClient } from '#desk/office/office-client.ts';
import { listCasesByDue } from '#store/cases/desk-queue.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { loadOnlyDeskKey } from '#test/desk-api/desk-client.ts';
import type { BenchContext } from './bench.ts';
import { measureRounds, timeRuns } from './load.ts';
import { type BenchRow, createBenchRow, divide, formatMedian } from './report.ts';
import { startBenchTarget } from './target.ts';

const GROWTH_TARGET = 2;
const SMALLEST = 1_000;
/** As many as an office has after years. */
const LARGEST_AT_DESK = 100_000;
const PAGE = 21;
const READS = 20;

type QueueReader = () => Promise<unknown>;

export async function benchQueue(context: BenchContext): Promise<BenchRow[]> {
  const choice = { states: OPEN_STATES, withOnHold: true };
  const openQueue = async (size: number): Promise<QueueReader> => {
    const { store } = await context.copyFilledOffice(context, size);
    return () => listCasesByDue(store.records, choice, { limit: PAGE }, Date.now());
  };
  return [await measureQueueGrowth(context, 'queue of open cases', context.size, openQueue)];
}

export async function benchDesk(context: BenchContext): Promise<BenchRow[]> {
  const openQueue = async (size: number): Promise<QueueReader> => {
    const desk = await openDesk(context, size);
    return () => desk.readQueue();
  };
  const largest = Math.min(LARGEST_AT_DESK, context.size);
  return [await measureQueueGrowth(context, 'desk: page of the queue', largest, openQueue)];
}

async function measureQueueGrowth(
  context: BenchContext,
  work: string,
  largest: number,
  openQueue: (size: number) => Promise<QueueReader>,
): Promise<BenchRow> {
  const [readSmall, readLarge] = [await openQueue(SMALLEST), await openQueue(largest)];
  const { few, many } = await measureRounds(context, {
    few: () => timeRuns(READS, readSmall),
    many: () => timeRuns(READS, readLarge),
  });
  return createBenchRow({
    work: `${work}, growth from ${SMALLEST} to ${largest} cases`,
    measured: divide(many, few),
    unit: ' ×',
    target: GROWTH_TARGET,
    details: [`p50 ${formatMedian(many)} ms with ${largest} cases`],
  });
}

async function openDesk(context: BenchContext, size: number): Promise<OfficeClient> {
  const { dataDir, env } = await context.copyFilledOffice(context, size);
  const { origin } = await startBenchTarget(context, { env });
  const address = parseOfficeAddress(origin);
  if (!address) throw new Error(`${origin} is no address of an office`);
  const { identity } = await loadOnlyDeskKey(dataDir);
  const desk = await connectOffice({
    address,
    trust: { ca: await readFile(join(dataDir, 'tls', 'localhost.crt'), 'utf8') },
    key: { identity, path: join(await createTemporaryFolder(context), 'desk.pins') },
  });
  context.after(() => desk.close());
  await desk.signIn();
  return desk;
}
