/** Compares the smallest request of our service with a bare Fastify server. */
import { compareTargets } from './compare.ts';
import { startBenchTarget } from './target.ts';

export async function benchHealth(rounds: number): Promise<void> {
  const bare = await startBenchTarget({ name: 'bare Fastify', script: 'bench/bare-health.ts' });
  const ours = await startBenchTarget({ name: 'Inquiry Office', script: 'src/main.ts' });
  try {
    await compareTargets([bare, ours], { path: '/api/health' }, rounds);
  } finally {
    await Promise.all([bare.stop(), ours.stop()]);
  }
}
