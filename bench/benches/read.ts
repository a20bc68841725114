/** Compares reading a case and its messages with a bare Fastify server that does the same look-ups. */
import type { BenchContext } from '#bench/bench.ts';
import { compareTargets, createRatioRow } from '#bench/load/compare.ts';
import { startBenchTarget } from '#bench/load/target.ts';
import type { BenchRow } from '#bench/report/row.ts';
import { createBenchOffice } from '#bench/setup/office.ts';
import { openBenchCase } from '#bench/setup/opened-case.ts';
import { toDatabasePath } from '#store/sqlite.ts';
import { createHttpsClient } from '#test/https-client.ts';

const READ_TARGET = 2;

export async function benchRead(context: BenchContext): Promise<BenchRow[]> {
  const office = await createBenchOffice(context);
  const target = await startBenchTarget(context, { name: 'Inquiry Office', env: office.env });
  const bare = await startBenchTarget(context, {
    name: 'bare Fastify with the same look-ups',
    script: 'bench/bare/read-server.ts',
    env: { DATABASE_FILE: toDatabasePath(office.dataDir) },
  });
  const get = await createHttpsClient(target.origin, office.dataDir);
  const { id, headers } = await openBenchCase(office, get);
  const rows: BenchRow[] = [];
  for (const { path, work } of [
    { path: `/api/cases/${id}`, work: 'read of a case' },
    { path: `/api/cases/${id}/messages`, work: 'read of five messages' },
  ]) {
    const load = { path, headers };
    const contest = { bare: { target: bare, load }, ours: { target, load } };
    const row = { work: `${work}, × bare Fastify with the same look-ups`, target: READ_TARGET };
    rows.push(createRatioRow(row, await compareTargets(context, contest)));
  }
  return rows;
}
