/** The payment sandbox as a process of its own, for services and bare servers alike. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';
import { findFreePorts } from '#test/ports.ts';

const STRIPE = { STRIPE_SECRET_KEY: 'sk_test_bench', STRIPE_WEBHOOK_SECRET: 'whsec_bench' };

/** Returns the settings of a service that uses it. */
export async function startBenchSandbox(t: CleanupScope): Promise<Record<string, string>> {
  const [port = 0] = await findFreePorts(1);
  const sandbox = spawn(process.execPath, ['sandbox/main.ts'], {
    env: { ...STRIPE, DATA_DIR: await createTemporaryFolder(t), SANDBOX_PORT: String(port) },
    // It ends when the channel does.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  t.after(async () => {
    sandbox.kill('SIGTERM');
    if (sandbox.exitCode === null) await once(sandbox, 'exit');
  });
  await once(sandbox, 'message');
  return { ...STRIPE, STRIPE_API_URL: `http://127.0.0.1:${port}` };
}
