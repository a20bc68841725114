/** Compares our checkout, which stores an order, with a bare route that calls the same sandbox. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '#test/ports.ts';
import { compareTargets } from './compare.ts';
import { startBenchTarget } from './target.ts';

const STRIPE = { STRIPE_SECRET_KEY: 'sk_test_bench', STRIPE_WEBHOOK_SECRET: 'whsec_bench' };

export async function benchCheckout(rounds: number): Promise<void> {
  const [port = 0] = await findFreePorts(1);
  const dataDir = await mkdtemp(join(tmpdir(), 'inquiry-office-bench-'));
  const sandbox = spawn(process.execPath, ['sandbox/main.ts'], {
    env: { ...STRIPE, DATA_DIR: dataDir, SANDBOX_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(sandbox.stdout, 'data');
  const env = { ...STRIPE, STRIPE_API_URL: `http://127.0.0.1:${port}`, RATE_LIMIT: 'off' };
  const bare = await startBenchTarget({
    name: 'bare Fastify',
    script: 'bench/bare-checkout.ts',
    env,
  });
  const ours = await startBenchTarget({ name: 'Inquiry Office', script: 'src/main.ts', env });
  try {
    const headers = { 'content-type': 'application/json' };
    await compareTargets(
      [bare, ours],
      { path: '/api/stripe/checkout', method: 'POST', headers, body: '{"tier":"Trace"}', connections: 16 },
      rounds,
    );
  } finally {
    await Promise.all([bare.stop(), ours.stop()]);
    sandbox.kill('SIGTERM');
    await once(sandbox, 'exit');
    await rm(dataDir, { recursive: true, force: true });
  }
}
