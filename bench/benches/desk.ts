/** Times an investigator's desk: a page of the queue in a large and in a small office, and the opening of a long case. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchContext } from '#bench/bench.ts';
import { type BenchTarget, startBenchTarget } from '#bench/load/target.ts';
import { type BenchRow, createBenchRow, formatFigure } from '#bench/report/row.ts';
import { computeMedian, computeSpread } from '#bench/report/spread.ts';
import { insertLongCase } from '#bench/setup/long-case.ts';
import type { BenchOffice } from '#bench/setup/office.ts';
import { parseOfficeAddress } from '#desk-program/office/office-address.ts';
import type { DeskOffice } from '#desk-program/office/office-client.ts';
import { connectOffice } from '#desk-program/office/office-client.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { loadOnlyDeskKey } from '#test/desk/desk-client.ts';

const QUEUE_GROWTH_TARGET = 2;
const SMALLEST = 1_000;
/** As many as an office has after years. */
const LARGEST = 100_000;
const READS = 20;
const MESSAGES = 50;

export async function benchDesk(context: BenchContext): Promise<BenchRow[]> {
  const largest = Math.min(LARGEST, context.size);
  const small = await startDeskSite(context, SMALLEST);
  const large = await startDeskSite(context, largest);
  const long = await insertLongCase(large.office, MESSAGES);
  const growths: number[] = [];
  const pages: number[] = [];
  const openings: number[] = [];
  for (let round = -1; round < context.rounds; round += 1) {
    context.report(`round ${round + 1} of ${context.rounds}`);
    const [few, many] = [await measureQueue(small.desk), await measureQueue(large.desk)];
    const opening = await measureOpening(context, large, long);
    if (round < 0) continue;
    growths.push(many / few);
    pages.push(many);
    openings.push(opening);
  }
  return [
    createBenchRow({
      work: `desk: page of the queue, growth from ${SMALLEST} to ${largest} cases`,
      measured: computeSpread(growths),
      unit: ' ×',
      target: QUEUE_GROWTH_TARGET,
      details: [`p50 ${formatFigure(computeMedian(pages))} ms with ${largest} cases`],
    }),
    createBenchRow({
      work: `desk: first opening of a case with ${MESSAGES} messages`,
      measured: computeSpread(openings),
      unit: ' ms',
      target: null,
      details: ['fetched, opened with the key, checked and pinned'],
    }),
  ];
}

interface DeskSite {
  readonly office: BenchOffice;
  readonly target: BenchTarget;
  readonly desk: DeskOffice;
}

async function startDeskSite(context: BenchContext, size: number): Promise<DeskSite> {
  const office = await context.copyFilledOffice(context, size);
  const target = await startBenchTarget(context, {
    name: `Inquiry Office with ${size} cases`,
    env: { ...office.env, RATE_LIMIT: 'off' },
  });
  return { office, target, desk: await openBenchDesk(context, { office, target }) };
}

/** Each has pins of its own, so that every opening is a first one. */
async function openBenchDesk(
  context: BenchContext,
  { office, target }: Pick<DeskSite, 'office' | 'target'>,
): Promise<DeskOffice> {
  const address = parseOfficeAddress(target.origin);
  if (!address) throw new Error(`${target.origin} is no address of an office`);
  const { identity } = await loadOnlyDeskKey(office.dataDir);
  const desk = await connectOffice({
    address,
    trust: { ca: await readFile(join(office.dataDir, 'tls', 'localhost.crt'), 'utf8') },
    key: { identity, path: join(await createTemporaryFolder(context), 'desk.pins') },
  });
  context.after(() => desk.close());
  await desk.signIn();
  return desk;
}

/** Returns the median in milliseconds. */
async function measureQueue(desk: DeskOffice): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < READS; count += 1) {
    const startedAt = performance.now();
    await desk.readQueue();
    times.push(performance.now() - startedAt);
  }
  return computeMedian(times);
}

async function measureOpening(
  context: BenchContext,
  site: Pick<DeskSite, 'office' | 'target'>,
  id: string,
): Promise<number> {
  const desk = await openBenchDesk(context, site);
  const startedAt = performance.now();
  const { content } = await desk.readCase(id);
  const milliseconds = performance.now() - startedAt;
  if (content.messages.length !== MESSAGES)
    throw new Error(`${content.messages.length} messages were opened`);
  return milliseconds;
}
