/** What our conventions cost on the smallest request, beside a bare Fastify server. */
import { compare } from './compare.ts';
import { startTarget } from './target.ts';

export async function health(rounds: number): Promise<void> {
  const bare = await startTarget({ name: 'bare Fastify', script: 'bench/bare-health.ts' });
  const ours = await startTarget({ name: 'Inquiry Office', script: 'src/main.ts' });
  try {
    await compare([bare, ours], { path: '/api/health' }, rounds);
  } finally {
    await Promise.all([bare.stop(), ours.stop()]);
  }
}
