/** Compares our checkout, which stores an order, with a bare route that calls the same sandbox. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { BenchContext } from '#bench/bench.ts';
import { compareTargets, createRatioRow } from '#bench/load/compare.ts';
import { startBenchTarget } from '#bench/load/target.ts';
import type { BenchRow } from '#bench/report/row.ts';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';
import { findFreePorts } from '#test/ports.ts';

const CHECKOUT_TARGET = 1.5;
const STRIPE = { STRIPE_SECRET_KEY: 'sk_test_bench', STRIPE_WEBHOOK_SECRET: 'whsec_bench' };

export async function benchCheckout(context: BenchContext): Promise<BenchRow[]> {
  const env = await startBenchSandbox(context);
  const bare = await startBenchTarget(context, {
    name: 'bare Fastify with the SDK',
    script: 'bench/bare/checkout-server.ts',
    env,
  });
  const ours = await startBenchTarget(context, { name: 'Inquiry Office', env });
  const load = {
    path: '/api/stripe/checkout',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"tier":"Trace"}',
    connections: 16,
  } as const;
  const contest = { bare: { target: bare, load }, ours: { target: ours, load } };
  const row = { work: 'checkout, × bare route with the same SDK', target: CHECKOUT_TARGET };
  return [createRatioRow(row, await compareTargets(context, contest))];
}

/** Returns the settings of a service that uses it. */
async function startBenchSandbox(t: CleanupScope): Promise<Record<string, string>> {
  const [port = 0] = await findFreePorts(1);
  const sandbox = spawn(process.execPath, ['sandbox/main.ts'], {
    env: { ...STRIPE, DATA_DIR: await createTemporaryFolder(t), SANDBOX_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    sandbox.kill('SIGTERM');
    if (sandbox.exitCode === null) await once(sandbox, 'exit');
  });
  await once(sandbox.stdout, 'data');
  return { ...STRIPE, STRIPE_API_URL: `http://127.0.0.1:${port}` };
}
