/** Starts the payment sandbox and stops it gracefully. */
import { startSandbox } from './running-sandbox.ts';
import { EXIT_CONFIG, readSandboxSettings, SandboxStartError } from './settings.ts';

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
  // Stops with the service that started the sandbox, because nothing else would stop it.
  process.on('disconnect', () => void stop());
  process.send?.('ready');
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
}

function exitWithReasons({ exitCode, reasons }: SandboxStartError): never {
  for (const reason of reasons) console.error(`The payment sandbox did not start: ${reason}.`);
  if (exitCode === EXIT_CONFIG)
    console.error(
      'npm start runs a sandbox by itself. For one alone, see "Without Stripe" in docs/operating.md.',
    );
  process.exit(exitCode);
}

await runSandbox().catch((error: unknown) => {
  if (error instanceof SandboxStartError) exitWithReasons(error);
  throw error;
});
