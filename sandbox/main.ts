/** Starts the payment sandbox and stops it gracefully. */
import { SandboxStartError, startSandbox } from './running-sandbox.ts';
import { readSandboxSettings, SandboxSettingsError } from './settings.ts';

/** sysexits.h: EX_CONFIG. */
const EXIT_CONFIG = 78;

async function runSandbox(): Promise<void> {
  const settings = readSandboxSettings();
  const sandbox = await startSandbox(settings);
  console.log(`Payment sandbox (no money moves) on ${settings.origin}`);

  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await sandbox.close();
    process.exit(0);
  };
  // The service that started the sandbox has ended; nothing else would stop the sandbox.
  process.on('disconnect', () => void stop());
  process.send?.('ready');
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
}

function exitWithReasons(code: number, reasons: readonly string[]): never {
  for (const reason of reasons) console.error(`The payment sandbox did not start: ${reason}.`);
  if (code === EXIT_CONFIG)
    console.error(
      'npm start runs a sandbox by itself. For one alone, see "Without Stripe" in docs/operating.md.',
    );
  process.exit(code);
}

await runSandbox().catch((error: unknown) => {
  if (error instanceof SandboxSettingsError) exitWithReasons(EXIT_CONFIG, error.mistakes);
  if (error instanceof SandboxStartError) exitWithReasons(1, [error.message]);
  throw error;
});
