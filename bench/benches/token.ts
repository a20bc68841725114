/** Compares issuing a token, which is stored, with the same engine in memory. */
import type { BenchContext } from '#bench/bench.ts';
import { compareTargets, createRatioRow } from '#bench/load/compare.ts';
import { startBenchTarget } from '#bench/load/target.ts';
import type { BenchRow } from '#bench/report/row.ts';
import { createBenchOffice } from '#bench/setup/office.ts';
import { buildTokenRequest } from '#bench/setup/token-request.ts';

const TOKEN_TARGET = 1.6;

export async function benchToken(context: BenchContext): Promise<BenchRow[]> {
  const { client, env } = await createBenchOffice(context);
  const engine = await startBenchTarget(context, {
    name: 'the engine in memory',
    script: 'bench/bare/token-server.ts',
    env: { CLIENT_ID: client.clientId, CLIENT_SECRET: client.clientSecret },
  });
  const ours = await startBenchTarget(context, { name: 'Inquiry Office', env });
  const load = buildTokenRequest(client);
  const contest = { bare: { target: engine, load }, ours: { target: ours, load } };
  const row = { work: 'token, × the same engine in memory', target: TOKEN_TARGET };
  return [createRatioRow(row, await compareTargets(context, contest))];
}
