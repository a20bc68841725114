/** Compares a sealed inquiry, which opens a case for a paid order, with a bare route that stores nothing. */
import { join } from 'node:path';
import type { BenchContext } from '#bench/bench.ts';
import { compareTargets, createRatioRow } from '#bench/load/compare.ts';
import { measureLoad } from '#bench/load/measure.ts';
import { canTraceSyncs, NO_SYNC_TRACER, readSyncCount } from '#bench/load/sync-tracer.ts';
import { startBenchTarget } from '#bench/load/target.ts';
import { type BenchRow, createBenchRow } from '#bench/report/row.ts';
import { computeSpread } from '#bench/report/spread.ts';
import { createInquiryLoads } from '#bench/setup/inquiry-load.ts';
import { type BenchOffice, createBenchOffice } from '#bench/setup/office.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createHttpsClient } from '#test/https-client.ts';

const INQUIRY_TARGET = 5;
const SEQUENTIAL = { connections: 1, requests: 20, target: 3 };
const CONCURRENT = { connections: 16, requests: 320, target: 0.5 };
/** The median of several tells the syncs of periodic tasks from those of the inquiries. */
const SYNC_BATCHES = 5;

export async function benchInquiry(context: BenchContext): Promise<BenchRow[]> {
  const office = await createBenchOffice(context);
  const target = await startBenchTarget(context, { name: 'Inquiry Office', env: office.env });
  const bare = await startBenchTarget(context, {
    name: 'bare Fastify that stores nothing',
    script: 'bench/bare/inquiry-server.ts',
  });
  const loads = await createInquiryLoads(office, await createHttpsClient(target.origin, office.dataDir));
  const comparison = await compareTargets(context, {
    bare: { target: bare, load: loads.bare },
    ours: { target, load: loads.ours },
  });
  await Promise.all([bare.stop(), target.stop()]);
  return [
    createRatioRow(
      { work: 'sealed inquiry of 17 KB, × bare route that stores nothing', target: INQUIRY_TARGET },
      comparison,
    ),
    ...(await measureInquirySyncs(context, office)),
  ];
}

async function measureInquirySyncs(context: BenchContext, office: BenchOffice): Promise<BenchRow[]> {
  const works = [
    { ...SEQUENTIAL, work: 'syncs of a sealed inquiry, one after the other' },
    { ...CONCURRENT, work: `syncs of a sealed inquiry, ${CONCURRENT.connections} at a time` },
  ];
  const unit = '';
  if (!canTraceSyncs())
    return works.map(({ work, target }) =>
      createBenchRow({ work, target, unit, measured: null, details: [NO_SYNC_TRACER] }),
    );
  const traceFile = join(await createTemporaryFolder(context), 'syncs.txt');
  context.report('counting syncs');
  const target = await startBenchTarget(context, { name: 'Inquiry Office', env: office.env, traceFile });
  const get = await createHttpsClient(target.origin, office.dataDir);
  const { ours } = await createInquiryLoads(office, get, CONCURRENT.requests);
  // What the start leaves to do has its own syncs.
  await measureLoad(target, ours, { requests: CONCURRENT.requests });
  const rows: BenchRow[] = [];
  for (const { work, connections, requests, target: most } of works) {
    const counts: number[] = [];
    for (let batch = 0; batch < SYNC_BATCHES; batch += 1) {
      const before = await readSyncCount(traceFile);
      const done = await measureLoad(target, { ...ours, connections }, { requests });
      counts.push(((await readSyncCount(traceFile)) - before) / done.requests);
    }
    const details = [`${SYNC_BATCHES} batches of ${requests} acknowledged inquiries`];
    rows.push(createBenchRow({ work, target: most, unit, measured: computeSpread(counts), details }));
  }
  await target.stop();
  return rows;
}
