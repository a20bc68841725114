/** The program: reads the configuration, starts the service and handles signals. */
import { LanguageFileError } from '#language/language-file.ts';
import { systemClock } from '#platform/clock.ts';
import { ConfigError, loadConfig } from '#platform/config/config.ts';
import { explainDamage } from '#platform/database-codes.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { loadCertificate } from '#platform/http/certificate.ts';
import { openLog, toErrorTrace } from '#platform/log.ts';
import type { ServiceHandle } from '#service.ts';
import { loadScripts } from '#view/scripts/scripts.ts';

// Only the service's own account may read the files it writes.
process.umask(0o077);
const log = openLog();
process.on('uncaughtException', reportCrash);
let service: ServiceHandle | undefined;
handleSignals();

try {
  const config = loadConfig();
  // If the scripts have to be bundled, a separate process does so while the rest loads.
  void loadScripts();
  const certificate = await loadCertificate(config, systemClock);
  // Imported only now: configuration mistakes are reported at once, and signals are handled while the rest loads.
  const { startService } = await import('#service.ts');
  service = await startService({ config, certificate, log });
} catch (error) {
  const [text, exitCode] = describeStartFailure(error);
  process.stderr.write(text);
  await log.close();
  process.exit(exitCode);
}

/** The first signal stops the service; later ones are ignored, so that a second Ctrl+C loses no request. */
function handleSignals(): void {
  let stopping = false;
  const signals = { SIGTERM: 15, SIGINT: 2 } as const;
  for (const [signal, number] of Object.entries(signals))
    process.on(signal, () => {
      if (!service) process.exit(128 + number);
      if (stopping) return;
      stopping = true;
      void stopAndExit(service, signal);
    });
  process.on('SIGHUP', () => void service?.reload());
}

async function stopAndExit({ stop: stopService }: ServiceHandle, signal: string): Promise<void> {
  await stopService(signal);
  await log.close();
  process.exit(0);
}

/** Node would print the error's message, which may quote user input. */
function reportCrash(error: unknown): void {
  log.event('crashed', toErrorTrace(error));
  log.flush();
  process.exit(EXIT_CODES.failure);
}

/** On standard error, for the operator. */
function describeStartFailure(error: unknown): [text: string, exitCode: number] {
  if (error instanceof ConfigError) {
    const lines = error.mistakes.map((mistake) => `  ${mistake}\n`).join('');
    return [
      `The configuration has mistakes:\n${lines}See .env.example for every variable.\n`,
      EXIT_CODES.config,
    ];
  }
  if (error instanceof ProgramError) return [`Cannot start: ${error.message}\n`, error.exitCode];
  if (error instanceof LanguageFileError) return [`Cannot start: ${error.message}\n`, EXIT_CODES.config];
  const damage = explainDamage(error);
  if (damage) return [`Cannot start: the records ${damage}\n`, EXIT_CODES.inputOutput];
  const { error: kind, error_code: code = '', at = '' } = toErrorTrace(error);
  return [`Cannot start: unexpected ${kind} ${code} at ${at}\n`, EXIT_CODES.failure];
}
