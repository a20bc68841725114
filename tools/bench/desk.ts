/** Times an investigator's desk: a page of the queue in a large and in a small office. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseOfficeAddress } from '#desk-program/office/office-address.ts';
import { connectOffice, type OfficeClient } from '#desk-program/office/office-client.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { loadOnlyDeskKey } from '#test/desk/desk-client.ts';
import type { BenchContext } from './bench.ts';
import { measureRounds, timeRuns } from './load.ts';
import { type BenchRow, createBenchRow, divide, formatMedian } from './report.ts';
import { startBenchTarget } from './target.ts';

const QUEUE_GROWTH_TARGET = 2;
const SMALLEST = 1_000;
/** As many as an office has after years. */
const LARGEST = 100_000;
const READS = 20;

export async function benchDesk(context: BenchContext): Promise<BenchRow[]> {
  const largest = Math.min(LARGEST, context.size);
  const small = await openDesk(context, SMALLEST);
  const large = await openDesk(context, largest);
  const { few, many } = await measureRounds(context, {
    few: () => timeRuns(READS, () => small.readQueue()),
    many: () => timeRuns(READS, () => large.readQueue()),
  });
  return [
    createBenchRow({
      work: `desk: page of the queue, growth from ${SMALLEST} to ${largest} cases`,
      measured: divide(many, few),
      unit: ' ×',
      target: QUEUE_GROWTH_TARGET,
      details: [`p50 ${formatMedian(many)} ms with ${largest} cases`],
    }),
  ];
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
