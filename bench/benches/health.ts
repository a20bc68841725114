/** Compares the smallest request of our service with a bare Fastify server. */
import type { BenchContext } from '#bench/bench.ts';
import { compareTargets, createRatioRow } from '#bench/load/compare.ts';
import { startBenchTarget } from '#bench/load/target.ts';
import type { BenchRow } from '#bench/report/row.ts';

const HEALTH_TARGET = 1.8;

export async function benchHealth(context: BenchContext): Promise<BenchRow[]> {
  const load = { path: '/api/health' };
  const bare = await startBenchTarget(context, {
    name: 'bare Fastify',
    script: 'bench/bare/health-server.ts',
  });
  const ours = await startBenchTarget(context, { name: 'Inquiry Office' });
  const comparison = await compareTargets(context, {
    bare: { target: bare, load },
    ours: { target: ours, load },
  });
  return [
    createRatioRow({ work: 'health over TLS, × bare Fastify over TLS', target: HEALTH_TARGET }, comparison),
  ];
}
