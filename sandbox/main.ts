/** Starts the payment sandbox and stops it gracefully. */
import type { SandboxContext } from './context.ts';
import { createWebhookSender } from './delivery.ts';
import { NO_REQUEST_CAUSE } from './events.ts';
import { FaultSwitchboard } from './faults.ts';
import { settleBankDebit } from './purchase.ts';
import { failRefund } from './refunds.ts';
import { type DueTaskHandlers, DueTaskSchedule } from './schedule.ts';
import { createSandboxServer } from './server.ts';
import { expireSession, retrieveSession } from './sessions.ts';
import { readSandboxSettings, type SandboxSettings, SandboxSettingsError } from './settings.ts';
import { SandboxState } from './state.ts';
import { WebhookQueue } from './webhooks.ts';

/** sysexits.h: EX_CONFIG. */
const EXIT_CONFIG = 78;

async function runSandbox(): Promise<void> {
  const settings = readSettingsOrExit();
  const state = openStateOrExit(settings);
  const faults = new FaultSwitchboard();
  const webhooks = new WebhookQueue(state, faults, createWebhookSender(settings));
  const schedule = new DueTaskSchedule(state);
  const sandbox: SandboxContext = { settings, state, faults, schedule, webhooks };
  const app = createSandboxServer(sandbox);

  try {
    await app.listen({ host: '127.0.0.1', port: settings.port });
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const reason = taken ? `port ${settings.port} is taken` : `cannot listen on port ${settings.port}`;
    return exitWithReasons(1, [reason]);
  }
  schedule.start(createTaskHandlers(sandbox), () => webhooks.wake());
  webhooks.start();
  console.log(`Payment sandbox (no money moves) on ${settings.origin}`);

  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    schedule.stop();
    await Promise.all([app.close(), webhooks.close()]);
    state.close();
    process.exit(0);
  };
  // The service that started the sandbox has ended; nothing else would stop the sandbox.
  process.on('disconnect', () => void stop());
  process.send?.('ready');
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
}

function createTaskHandlers(sandbox: SandboxContext): DueTaskHandlers {
  return {
    expire_session: (id) => {
      if (retrieveSession(sandbox, id).status === 'open') expireSession(sandbox, id, NO_REQUEST_CAUSE);
    },
    settle_payment: (id) => settleBankDebit(sandbox, id, 'succeeded'),
    fail_payment: (id) => settleBankDebit(sandbox, id, 'failed'),
    fail_refund: (id) => failRefund(sandbox, id),
  };
}

function readSettingsOrExit(): SandboxSettings {
  try {
    return readSandboxSettings();
  } catch (error) {
    if (!(error instanceof SandboxSettingsError)) throw error;
    return exitWithReasons(EXIT_CONFIG, error.mistakes);
  }
}

function openStateOrExit(settings: SandboxSettings): SandboxState {
  try {
    return new SandboxState(settings.dataDir);
  } catch {
    return exitWithReasons(1, ['its state in DATA_DIR/sandbox cannot be opened']);
  }
}

function exitWithReasons(code: number, reasons: readonly string[]): never {
  for (const reason of reasons) console.error(`The payment sandbox did not start: ${reason}.`);
  process.exit(code);
}

await runSandbox();
