/** Compares our checkout, which stores an order, with a bare route that calls the same sandbox. */
import type { BenchContext } from '#bench/bench.ts';
import { compareTargets, createRatioRow } from '#bench/load/compare.ts';
import { startBenchTarget } from '#bench/load/target.ts';
import type { BenchRow } from '#bench/report/row.ts';
import { CHECKOUT_REQUEST } from '#bench/setup/request-types.ts';
import { startBenchSandbox } from '#bench/setup/sandbox.ts';

const CHECKOUT_TARGET = 1.5;

export async function benchCheckout(context: BenchContext): Promise<BenchRow[]> {
  const env = await startBenchSandbox(context);
  const bare = await startBenchTarget(context, {
    name: 'bare Fastify with the SDK',
    script: 'bench/bare/checkout-server.ts',
    env,
  });
  const ours = await startBenchTarget(context, { name: 'Inquiry Office', env });
  const load = { ...CHECKOUT_REQUEST, connections: 16 };
  const contest = { bare: { target: bare, load }, ours: { target: ours, load } };
  const row = { work: 'checkout, × bare route with the same SDK', target: CHECKOUT_TARGET };
  return [createRatioRow(row, await compareTargets(context, contest))];
}
