/** The program: reads the configuration, opens the store, joins the parts, listens, and stops gracefully. */
import type { Server as SecureServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gateway } from '#payments/gateway.ts';
import { type Sandbox, startSandbox } from '#payments/sandbox.ts';
import { sweepOrders } from '#payments/sweep.ts';
import { publicAddresses } from '#platform/addresses.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { type Config, loadConfig } from '#platform/config.ts';
import { EXIT, StartError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { type Certificate, loadCertificate } from '#platform/http/certificate.ts';
import { type Doors, openDoors } from '#platform/http/listen.ts';
import { createPlainListener } from '#platform/http/plain-listener.ts';
import { openLog, traceOf } from '#platform/log.ts';
import { type Schedule, startSchedule } from '#platform/schedule.ts';
import { sharedWork } from '#platform/shared-work.ts';
import { reportFailure, reportStart } from '#platform/start-report.ts';
import { demandSameKey, loadKeyring } from '#store/keyring.ts';
import { openStore, type Store } from '#store/store.ts';
import { buildApp } from './app.ts';

const STOP_MS = 10_000;

interface Service {
  readonly app: App;
  readonly store: Store;
  readonly doors: Doors;
  readonly schedule: Schedule;
  readonly sandbox: Sandbox | null;
}

// What is written is for the service's own account alone.
process.umask(0o077);
const log = openLog();
process.on('uncaughtException', crash);
let running: Service | undefined;
stopOnSignal();

try {
  const config = loadConfig();
  const certificate = await loadCertificate(config, clock);
  const service = await start(config, certificate);
  running = service;
  process.on('SIGHUP', () => void reloadCertificate(config, service.app));
  log.event('started', { engine: service.store.engine.name, pid: process.pid });
  reportStart(config.site.name, summary(config, certificate, service));
} catch (error) {
  reportFailure(error);
  await log.close();
  process.exit();
}

async function start(config: Config, certificate: Certificate | null): Promise<Service> {
  // Only `npm start` runs a sandbox beside the service; `npm run serve` is the service alone.
  const wanted = process.argv.includes('--with-sandbox') ? config.payments.sandbox : null;
  const sandbox = wanted ? await startSandbox(config, wanted.port, log) : null;
  let store: Store | undefined;
  try {
    store = await openStore({ config, clock, log });
    const service = await serve(config, { certificate, store, sandbox });
    await sandbox?.ready;
    return service;
  } catch (error) {
    await sandbox?.stop();
    await store?.close();
    throw error;
  }
}

interface Ground {
  readonly certificate: Certificate | null;
  readonly store: Store;
  readonly sandbox: Sandbox | null;
}

async function serve(config: Config, { certificate, store, sandbox }: Ground): Promise<Service> {
  const addresses = publicAddresses(config);
  const keyring = await loadKeyring(config);
  await demandSameKey(store.records, keyring);
  const gateway = new Gateway(sandbox?.provider ?? config.payments, { clock, log });
  const till = { addresses, clock, log, keyring, store, gateway, shared: sharedWork() };
  const app = await buildApp({ config, addresses, certificate, clock, log, store, till });
  const doors = await openDoors(app, createPlainListener(addresses), config.listen);
  const sweep = { name: 'sweep orders', seconds: config.sweepSeconds, run: () => sweepOrders(till) };
  const schedule = startSchedule(gateway.configured ? [sweep] : [], log);
  return { app, store, doors, schedule, sandbox };
}

async function reloadCertificate(config: Config, app: App): Promise<void> {
  try {
    const certificate = await loadCertificate(config, clock);
    if (!certificate) return;
    (app.server as SecureServer).setSecureContext({ key: certificate.key, cert: certificate.cert });
    log.event('certificate_reloaded', { valid_to: certificate.validTo });
  } catch (error) {
    log.event('certificate_not_reloaded', {
      reason: error instanceof StartError ? error.message : 'unknown',
    });
  }
}

/** The first signal stops; later ones are ignored, so that an impatient second Ctrl+C loses no request. */
function stopOnSignal(): void {
  let stopping = false;
  for (const [signal, number] of [
    ['SIGTERM', 15],
    ['SIGINT', 2],
  ] as const)
    process.on(signal, () => {
      if (!running) process.exit(128 + number);
      if (stopping) return;
      stopping = true;
      void stop(running, signal);
    });
}

async function stop({ app, store, doors, schedule, sandbox }: Service, signal: string): Promise<void> {
  const begun = performance.now();
  const elapsed = () => ({ ms: Math.round(performance.now() - begun) });
  log.event('stopping', { signal });
  const finished = Promise.all([app.close(), schedule.stop(), doors.close()]).then(() => true);
  if (!(await Promise.race([finished, sleep(STOP_MS, false)]))) log.event('stop_timed_out', elapsed());
  await sandbox?.stop();
  await store.close();
  log.event('stopped', elapsed());
  await log.close();
  process.exit(0);
}

/** Node would print the error's message, which may quote what a person sent. */
function crash(error: unknown): void {
  log.event('crashed', traceOf(error));
  log.flush();
  process.exit(EXIT.failure);
}

function summary(config: Config, certificate: Certificate | null, service: Service): [string, string][] {
  const { site, listen, dataDir } = config;
  const { engine } = service.store;
  const payments = config.payments.key === null ? 'not configured' : 'by the provider';
  return [
    ['Site', site.url],
    ['API', site.url + site.apiPath],
    [
      'TLS',
      certificate ? `${certificate.file}, valid to ${certificate.validTo.slice(0, 10)}` : 'by the proxy',
    ],
    ['Plain', listen.httpPort === null ? 'off' : `port ${listen.httpPort}, sends pages to HTTPS`],
    ['Payments', service.sandbox ? `sandbox, no money moves: ${service.sandbox.provider.apiUrl}` : payments],
    ['Records', `${engine.name}, ${engine.place}`],
    ['Data', dataDir],
    ...(certificate ? [['Try', `curl -k ${site.url}${site.apiPath}/health`] as [string, string]] : []),
  ];
}
