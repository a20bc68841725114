/** Starts the payment provider, with a sandbox beside the service if one should stand in for it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOrCreateFile } from '#platform/atomic-file.ts';
import type { Config } from '#platform/config/config.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { Log } from '#platform/log.ts';
import type { PaymentProvider } from '../payment-provider.ts';
import { type StripeDependencies, StripeProvider, type StripeSettings } from './stripe.ts';

const PROGRAM = fileURLToPath(new URL('../../../sandbox/main.ts', import.meta.url));

export interface RunningPaymentSandbox {
  readonly provider: StripeSettings;
  /** Resolves once the sandbox answers; the service can listen before that. */
  readonly ready: Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startPaymentProvider(
  config: Config,
  { withSandbox, ...dependencies }: StripeDependencies & { readonly withSandbox: boolean },
): Promise<{
  readonly paymentProvider: PaymentProvider;
  readonly sandbox: RunningPaymentSandbox | null;
}> {
  const settings = withSandbox ? config.payments.sandbox : null;
  const sandbox = settings && (await startPaymentSandbox(config, settings.port, dependencies.log));
  return {
    sandbox,
    paymentProvider: new StripeProvider(sandbox?.provider ?? config.payments, dependencies),
  };
}

/** Both processes get the same generated credentials. */
async function startPaymentSandbox(config: Config, port: number, log: Log): Promise<RunningPaymentSandbox> {
  const { payments, site, dataDir } = config;
  const key = payments.key ?? (await loadSandboxCredential(dataDir, 'secret.key', 'sk_test_'));
  const webhookSecrets =
    payments.webhookSecrets.length > 0
      ? payments.webhookSecrets
      : [await loadSandboxCredential(dataDir, 'webhook.secret', 'whsec_')];
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      SANDBOX_PORT: String(port),
      DATA_DIR: dataDir,
      SITE_URL: site.url,
      API_PATH: site.apiPath,
      STRIPE_SECRET_KEY: key,
      STRIPE_WEBHOOK_SECRET: webhookSecrets.join(','),
    },
    // Over the IPC channel the sandbox reports that it is ready, and notices when the service has ended.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Ctrl+C reaches only the service, which then stops the sandbox.
    detached: true,
  });
  let stopping = false;
  child.once('exit', (code) => {
    if (!stopping) log.event('sandbox_ended', { code: code ?? undefined });
  });
  const ready = waitUntilReady(child, port);
  // Awaited only after the service listens; until then a rejection must not count as unhandled.
  ready.catch(() => {});
  return {
    ready,
    provider: { key, webhookSecrets, apiUrl: payments.apiUrl ?? `http://127.0.0.1:${port}`, livemode: false },
    stop: async () => {
      stopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function loadSandboxCredential(dataDir: string, name: string, prefix: string): Promise<string> {
  const path = join(dataDir, 'sandbox', name);
  return (await readOrCreateFile(path, () => `${prefix}${randomBytes(24).toString('hex')}\n`)).trim();
}

async function waitUntilReady(child: ChildProcess, port: number): Promise<void> {
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () =>
      reject(new ProgramError(`the payment sandbox did not start on port ${port}`, EXIT_CODES.unavailable)),
    );
  });
  await Promise.race([once(child, 'message'), failed]);
}
