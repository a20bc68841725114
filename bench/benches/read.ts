/** Compares reading a case and its messages with a bare Fastify server that does the same look-ups. */
import type { BenchContext } from '#bench/bench.ts';
import { compareTargets, createRatioRow } from '#bench/load/compare.ts';
import { startBenchTarget } from '#bench/load/target.ts';
import type { BenchRow } from '#bench/report/row.ts';
import { type BenchOffice, createBenchOffice, insertPaidOrders } from '#bench/setup/office.ts';
import { sealBenchInquiry } from '#bench/setup/sealed-inquiry.ts';
import { requestBearer } from '#bench/setup/token-request.ts';
import { addCaseMessage } from '#cases/messages.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { toDatabasePath } from '#store/sqlite.ts';
import { createHttpsClient, type HttpsClient } from '#test/https-client.ts';

const READ_TARGET = 2;
const MESSAGES = { buyer: 3, desk: 2 } as const;

export async function benchRead(context: BenchContext): Promise<BenchRow[]> {
  const office = await createBenchOffice(context);
  const target = await startBenchTarget(context, { name: 'Inquiry Office', env: office.env });
  const bare = await startBenchTarget(context, {
    name: 'bare Fastify with the same look-ups',
    script: 'bench/bare/read-server.ts',
    env: { DATABASE_FILE: toDatabasePath(office.dataDir) },
  });
  const get = await createHttpsClient(target.origin, office.dataDir);
  const id = await openCaseWithMessages(office, get);
  const headers = await requestBearer(get, office.client);
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

async function openCaseWithMessages(office: BenchOffice, get: HttpsClient): Promise<string> {
  const { envelope, createBody } = await sealBenchInquiry(get);
  const [orderId = ''] = await insertPaidOrders(office, 1);
  const headers = { 'content-type': 'application/json', ...(await requestBearer(get, office.client)) };
  const body = createBody(orderId);
  const { json, text } = await get('/api/inquiries', { method: 'POST', headers, body });
  if (typeof json['id'] !== 'string') throw new Error(`no case was opened: ${text}`);
  const services = { clock, store: office.store };
  for (const by of ['buyer', 'desk'] as const)
    for (let seq = 0; seq < MESSAGES[by]; seq += 1)
      await addCaseMessage(services, json['id'], { by, seq, sealed: envelope });
  return json['id'];
}
