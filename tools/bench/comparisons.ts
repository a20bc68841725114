/** Compares single requests with bare servers: a sealed inquiry and its syncs, reading, and a token. */
import { join } from 'node:path';
import { toDatabasePath } from '#store/engine/sqlite.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createHttpsClient } from '#test/https-client.ts';
import { buildTokenRequest } from '#test/oauth/oauth-test-app.ts';
import type { BenchContext } from './bench.ts';
import { compareWithBare, measureLoad } from './load.ts';
import { type BenchOffice, createBenchOffice, createInquiryLoad, openBenchCase } from './office.ts';
import { type BenchRow, createBenchRow } from './table.ts';
import { type BenchTarget, canTraceSyncs, readSyncCount, startBenchTarget } from './target.ts';

const INQUIRY_TARGET = 5;
const STATEMENTS_TARGET = 1.3;
const READ_TARGET = 2;
const TOKEN_TARGET = 1.6;
const SYNCS = [
  { length: { connections: 16, amount: 320 }, target: 0.5 },
  { length: { connections: 1, amount: 20 }, target: 3 },
];
const ORDERS_FOR_SYNCS = 320;
/** More than a round can use. */
const ORDERS_FOR_A_ROUND = 8_000;
/** The median of several separates the syncs of periodic tasks from those of the inquiries. */
const SYNC_BATCHES = 5;

/** Compares with two routes for the same body: one stores nothing, the other stores it with the same statements. */
export async function benchInquiry(context: BenchContext): Promise<BenchRow[]> {
  const office = await createBenchOffice(context);
  const target = await startBenchTarget(context, { env: office.env });
  const storing = await startBenchTarget(context, { bare: 'statements', env: locateDatabase(office) });
  const idle = await startBenchTarget(context, { bare: 'inquiry' });
  const get = await createHttpsClient(target.origin, office.dataDir);
  const load = await createInquiryLoad(office, get, ORDERS_FOR_A_ROUND);
  const compareInquiry = (route: string, bare: BenchTarget, most: number) =>
    compareWithBare(context, {
      work: `sealed inquiry of 17 KB, × bare route ${route}`,
      most,
      target,
      load,
      bare,
    });
  const rows = [
    await compareInquiry('that stores nothing', idle, INQUIRY_TARGET),
    await compareInquiry('with the same statements', storing, STATEMENTS_TARGET),
  ];
  await Promise.all([idle.stop(), storing.stop(), target.stop()]);
  return [...rows, ...(await measureInquirySyncs(context, office))];
}

async function measureInquirySyncs(context: BenchContext, office: BenchOffice): Promise<BenchRow[]> {
  const isTraced = canTraceSyncs();
  const batches = isTraced ? SYNC_BATCHES : 0;
  const traceFile = join(await createTemporaryFolder(context), 'syncs.txt');
  const target = await startBenchTarget(context, { env: office.env, ...(isTraced ? { traceFile } : {}) });
  const get = await createHttpsClient(target.origin, office.dataDir);
  const load = await createInquiryLoad(office, get, ORDERS_FOR_SYNCS);
  // Warms up first: work that remains after the start has its own syncs.
  await measureLoad(target, load, { amount: ORDERS_FOR_SYNCS });
  const rows: BenchRow[] = [];
  for (const { length, target: most } of SYNCS) {
    const work = `syncs of a sealed inquiry, ${length.connections} at a time`;
    context.report(work);
    const measured: number[] = [];
    for (let batch = 0; batch < batches; batch += 1) {
      const before = await readSyncCount(traceFile);
      const { requests } = await measureLoad(target, load, length);
      measured.push(((await readSyncCount(traceFile)) - before) / requests);
    }
    const details = isTraced ? [] : ['not measured: strace is missing, or may not trace here'];
    rows.push(createBenchRow({ work, target: most, measured, details }));
  }
  return rows;
}

/** Compares with the same look-ups by prepared statements. */
export async function benchRead(context: BenchContext): Promise<BenchRow[]> {
  const office = await createBenchOffice(context);
  const target = await startBenchTarget(context, { env: office.env });
  const bare = await startBenchTarget(context, { bare: 'read', env: locateDatabase(office) });
  const get = await createHttpsClient(target.origin, office.dataDir);
  const { id, headers } = await openBenchCase(office, get);
  const compareRead = (read: string, path: string) =>
    compareWithBare(context, {
      work: `read of ${read}, × bare Fastify with the same look-ups`,
      most: READ_TARGET,
      target,
      load: { path, headers },
      bare,
    });
  return [
    await compareRead('a case', `/api/cases/${id}`),
    await compareRead('five messages', `/api/cases/${id}/messages`),
  ];
}

/** Compares a token that is stored with one of the same engine in memory. */
export async function benchToken(context: BenchContext): Promise<BenchRow[]> {
  const { client, env } = await createBenchOffice(context);
  const target = await startBenchTarget(context, { env });
  const bare = await startBenchTarget(context, {
    bare: 'token',
    env: { CLIENT_ID: client.clientId, CLIENT_SECRET: client.clientSecret },
  });
  const row = await compareWithBare(context, {
    work: 'token, × the same engine in memory',
    most: TOKEN_TARGET,
    target,
    load: buildTokenRequest(client),
    bare,
  });
  return [row];
}

function locateDatabase({ dataDir }: BenchOffice): Record<string, string> {
  return { DATABASE_FILE: toDatabasePath(dataDir) };
}
