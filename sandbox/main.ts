/** Starts the payment sandbox and stops it gracefully. */
import type { Till } from './context.ts';
import { createSender } from './delivery.ts';
import { NO_REQUEST } from './events.ts';
import { Faults } from './faults.ts';
import { settle } from './purchase.ts';
import { failRefund } from './refunds.ts';
import { Schedule, type TaskHandlers } from './schedule.ts';
import { buildServer } from './server.ts';
import { expireSession, retrieveSession } from './sessions.ts';
import { readSettings, type Settings, SettingsError } from './settings.ts';
import { State } from './state.ts';
import { Webhooks } from './webhooks.ts';

/** sysexits.h: EX_CONFIG. */
const EXIT_CONFIG = 78;

async function main(): Promise<void> {
  const settings = settingsOrExit();
  const state = stateOrExit(settings);
  const faults = new Faults();
  const webhooks = new Webhooks(state, faults, createSender(settings));
  const schedule = new Schedule(state);
  const till: Till = { settings, state, faults, schedule, webhooks };
  const app = buildServer(till);

  try {
    await app.listen({ host: '127.0.0.1', port: settings.port });
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const reason = taken ? `port ${settings.port} is taken` : `cannot listen on port ${settings.port}`;
    return giveUp(1, [reason]);
  }
  schedule.start(dueTasks(till), () => webhooks.wake());
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
  // The service that started this program is gone: nobody would ever stop it.
  process.on('disconnect', () => void stop());
  process.send?.('ready');
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
}

function dueTasks(till: Till): TaskHandlers {
  return {
    expire_session: (id) => {
      if (retrieveSession(till, id).status === 'open') expireSession(till, id, NO_REQUEST);
    },
    settle_payment: (id) => settle(till, id, 'succeeded'),
    fail_payment: (id) => settle(till, id, 'failed'),
    fail_refund: (id) => failRefund(till, id),
  };
}

function settingsOrExit(): Settings {
  try {
    return readSettings();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return giveUp(EXIT_CONFIG, error.mistakes);
  }
}

function stateOrExit(settings: Settings): State {
  try {
    return new State(settings.dataDir);
  } catch {
    return giveUp(1, ['its state in DATA_DIR/sandbox cannot be opened']);
  }
}

function giveUp(code: number, reasons: readonly string[]): never {
  for (const reason of reasons) console.error(`The payment sandbox did not start: ${reason}.`);
  process.exit(code);
}

await main();
