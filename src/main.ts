/** The program: reads the configuration, starts the service and handles signals. */
import { systemClock } from '#platform/clock.ts';
import { loadConfig } from '#platform/config/config.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { loadCertificate } from '#platform/http/certificate.ts';
import { openLog, toErrorTrace } from '#platform/log.ts';
import { reportStartFailure } from '#platform/start-report.ts';
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
  reportStartFailure(error);
  await log.close();
  process.exit();
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
