/** Compares single requests with bare servers: a sealed inquiry and its syncs, reading, and a token. */
import { join } from 'node:path';
import { toDatabasePath } from '#store/engine/sqlite.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createHttpsClient } from '#test/https-client.ts';
import { buildTokenRequest } from '#test/oauth/oauth-test-app.ts';
import type { BenchContext } from './bench.ts';
import { compareTargets, measureLoad } from './load.ts';
import { type BenchOffice, createBenchOffice, createInquiryLoads, openBenchCase } from './office.ts';
import { type BenchRow, createBenchRow } from './report.ts';
import { canTraceSyncs, NO_TRACER, readSyncCount, startBenchTarget } from './target.ts';

const INQUIRY_TARGET = 5;
const STATEMENTS_TARGET = 1.3;
const READ_TARGET = 2;
const TOKEN_TARGET = 1.6;
const SEQUENTIAL = { connections: 1, requests: 20, target: 3 };
const CONCURRENT = { connections: 16, requests: 320, target: 0.5 };
/** The median of several tells the syncs of periodic tasks from those of the inquiries. */
const SYNC_BATCHES = 5;

/** With bare routes that take the same body: one stores nothing, the other stores it by the same statements. */
export async function benchInquiry(context: BenchContext): Promise<BenchRow[]> {
  const office = await createBenchOffice(context);
  const target = await startBenchTarget(context, { env: office.env });
  const bare = await startBenchTarget(context, { bare: 'inquiry' });
  const storing = await startBenchTarget(context, {
    bare: 'statements',
    env: { DATABASE_FILE: toDatabasePath(office.dataDir) },
  });
  const loads = await createInquiryLoads(office, await createHttpsClient(target.origin, office.dataDir));
  const ours = { target, load: { ...loads.ours, mayBeRefused: true } };
  const rows = [
    await compareTargets(context, {
      work: 'sealed inquiry of 17 KB, × bare route that stores nothing',
      most: INQUIRY_TARGET,
      bare: { target: bare, load: loads.bare },
      ours,
    }),
    await compareTargets(context, {
      work: 'sealed inquiry of 17 KB, × bare route with the same statements',
      most: STATEMENTS_TARGET,
      bare: { target: storing, load: loads.ours },
      ours,
    }),
  ];
  await Promise.all([bare.stop(), storing.stop(), target.stop()]);
  return [...rows, ...(await measureInquirySyncs(context, office))];
}

async function measureInquirySyncs(context: BenchContext, office: BenchOffice): Promise<BenchRow[]> {
  const works = [
    { ...SEQUENTIAL, work: 'syncs of a sealed inquiry, one after the other' },
    { ...CONCURRENT, work: `syncs of a sealed inquiry, ${CONCURRENT.connections} at a time` },
  ];
  if (!canTraceSyncs())
    return works.map(({ work, target }) =>
      createBenchRow({ work, target, measured: [], details: [NO_TRACER] }),
    );
  const traceFile = join(await createTemporaryFolder(context), 'syncs.txt');
  context.report('counting syncs');
  const target = await startBenchTarget(context, { env: office.env, traceFile });
  const get = await createHttpsClient(target.origin, office.dataDir);
  const { ours } = await createInquiryLoads(office, get, CONCURRENT.requests);
  // What the start leaves to do has its own syncs.
  await measureLoad(target, ours, { requests: CONCURRENT.requests });
  const rows: BenchRow[] = [];
  for (const { work, connections, requests, target: most } of works) {
    const measured: number[] = [];
    for (let batch = 0; batch < SYNC_BATCHES; batch += 1) {
      const before = await readSyncCount(traceFile);
      const done = await measureLoad(target, { ...ours, connections }, { requests });
      measured.push(((await readSyncCount(traceFile)) - before) / done.requests);
    }
    const details = [`${SYNC_BATCHES} batches of ${requests} acknowledged inquiries`];
    rows.push(createBenchRow({ work, target: most, measured, details }));
  }
  await target.stop();
  return rows;
}

/** With the same look-ups by prepared statements. */
export async function benchRead(context: BenchContext): Promise<BenchRow[]> {
  const office = await createBenchOffice(context);
  const target = await startBenchTarget(context, { env: office.env });
  const bare = await startBenchTarget(context, {
    bare: 'read',
    env: { DATABASE_FILE: toDatabasePath(office.dataDir) },
  });
  const get = await createHttpsClient(target.origin, office.dataDir);
  const { id, headers } = await openBenchCase(office, get);
  const rows: BenchRow[] = [];
  for (const [work, path] of [
    ['read of a case', `/api/cases/${id}`],
    ['read of five messages', `/api/cases/${id}/messages`],
  ] as const) {
    const load = { path, headers };
    rows.push(
      await compareTargets(context, {
        work: `${work}, × bare Fastify with the same look-ups`,
        most: READ_TARGET,
        bare: { target: bare, load },
        ours: { target, load },
      }),
    );
  }
  return rows;
}

/** A token that is stored, with the same engine in memory. */
export async function benchToken(context: BenchContext): Promise<BenchRow[]> {
  const { client, env } = await createBenchOffice(context);
  const engine = await startBenchTarget(context, {
    bare: 'token',
    env: { CLIENT_ID: client.clientId, CLIENT_SECRET: client.clientSecret },
  });
  const target = await startBenchTarget(context, { env });
  const load = buildTokenRequest(client);
  const row = await compareTargets(context, {
    work: 'token, × the same engine in memory',
    most: TOKEN_TARGET,
    bare: { target: engine, load },
    ours: { target, load },
  });
  return [row];
}
