/** The sandbox's parts joined, listening, and stopped gracefully. */
import type { SandboxContext } from './context.ts';
import { createWebhookSender } from './delivery.ts';
import { NO_REQUEST_CAUSE } from './events.ts';
import { FaultSwitchboard } from './faults.ts';
import { settleBankDebit } from './purchase.ts';
import { failRefund } from './refunds.ts';
import { type DueTaskHandlers, DueTaskSchedule } from './schedule.ts';
import { createSandboxServer } from './server.ts';
import { expireSession, retrieveSession } from './sessions.ts';
import type { SandboxSettings } from './settings.ts';
import { SandboxState } from './state.ts';
import { WebhookQueue } from './webhooks.ts';

export interface RunningSandbox {
  readonly close: () => Promise<void>;
}

/** Why it does not run, for a person to read. */
export class SandboxStartError extends Error {}

export async function startSandbox(settings: SandboxSettings): Promise<RunningSandbox> {
  const state = openState(settings);
  const faults = new FaultSwitchboard();
  const webhooks = new WebhookQueue(state, faults, createWebhookSender(settings));
  const schedule = new DueTaskSchedule(state);
  const sandbox: SandboxContext = { settings, state, faults, schedule, webhooks };
  const app = createSandboxServer(sandbox);
  try {
    await app.listen({ host: '127.0.0.1', port: settings.port });
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    throw new SandboxStartError(
      taken ? `port ${settings.port} is taken` : `cannot listen on port ${settings.port}`,
    );
  }
  schedule.start(createTaskHandlers(sandbox), () => webhooks.wake());
  webhooks.start();
  return {
    close: async () => {
      schedule.stop();
      await Promise.all([app.close(), webhooks.close()]);
      state.close();
    },
  };
}

function openState(settings: SandboxSettings): SandboxState {
  try {
    return new SandboxState(settings.dataDir);
  } catch {
    throw new SandboxStartError('its state in DATA_DIR/sandbox cannot be opened');
  }
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
