/** The program: reads the configuration, opens the store, joins the parts, listens, and stops gracefully. */
import type { Server as SecureServer } from 'node:https';
import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { publicAddresses } from '#platform/addresses.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { type Config, ConfigError, loadConfig } from '#platform/config.ts';
import { EXIT, StartError } from '#platform/errors.ts';
import { type Certificate, loadCertificate } from '#platform/http/certificate.ts';
import { closed, hostsOf, listen, listenBeside, listenError } from '#platform/http/listen.ts';
import { createPlainListener } from '#platform/http/plain-listener.ts';
import type { App } from '#platform/http/server.ts';
import { openLog, traceOf } from '#platform/log.ts';
import { demandSameKey, loadKeyring } from '#store/keyring.ts';
import { openStore, type Store } from '#store/store.ts';
import { buildApp } from './app.ts';

const STOP_MS = 10_000;

interface Service {
  readonly app: App;
  readonly store: Store;
  /** Every listening socket but the app's own. */
  readonly doors: readonly Server[];
}

const log = openLog();
process.on('uncaughtException', crash);

try {
  const config = loadConfig();
  const certificate = await loadCertificate(config, clock);
  const service = await start(config, certificate);
  process.on('SIGHUP', () => void reloadCertificate(config, service.app));
  stopOnSignal(service);
  log.event('started', { engine: service.store.engine.name, pid: process.pid });
  process.stderr.write(summary(config, certificate, service.store));
} catch (error) {
  process.exitCode = explain(error);
  log.flush();
}

async function start(config: Config, certificate: Certificate | null): Promise<Service> {
  const addresses = publicAddresses(config);
  const store = await openStore({ config, clock, log });
  try {
    await demandSameKey(store.records, await loadKeyring(config));
    const app = await buildApp({ config, addresses, certificate, clock, log, store });
    const doors = await openDoors(app, createPlainListener(addresses), config.listen);
    return { app, store, doors };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openDoors(app: App, plain: Server, config: Config['listen']): Promise<Server[]> {
  const [host, ...others] = hostsOf(config.host);
  const address = { host, port: config.port };
  const doors: (Server | null)[] = [];
  try {
    await app.listen(address).catch((error: unknown) => {
      throw listenError(error, address);
    });
    for (const other of others)
      doors.push(await listenBeside(app.server, { host: other, port: config.port }));
    if (config.httpPort !== null) {
      doors.push(plain);
      await listen(plain, { host, port: config.httpPort });
      for (const other of others)
        doors.push(await listenBeside(plain, { host: other, port: config.httpPort }));
    }
  } catch (error) {
    for (const door of doors) door?.close();
    await app.close();
    throw error;
  }
  return doors.filter((door) => door !== null);
}

async function reloadCertificate(config: Config, app: App): Promise<void> {
  try {
    const certificate = await loadCertificate(config, clock);
    if (!certificate) return;
    (app.server as SecureServer).setSecureContext({ key: certificate.key, cert: certificate.cert });
    log.event('certificate_reloaded', { valid_to: certificate.validTo });
  } catch (error) {
    log.event('certificate_not_reloaded', traceOf(error));
  }
}

/** The first signal stops; later ones are ignored, so that an impatient second Ctrl+C loses no request. */
function stopOnSignal(service: Service): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      void stop(service, signal);
    });
}

async function stop({ app, store, doors }: Service, signal: string): Promise<void> {
  const begun = performance.now();
  const elapsed = () => ({ ms: Math.round(performance.now() - begun) });
  log.event('stopping', { signal });
  const finished = Promise.all([app.close(), ...doors.map(closed)]).then(() => true);
  if (!(await Promise.race([finished, sleep(STOP_MS, false)]))) log.event('stop_timed_out', elapsed());
  await store.close();
  log.event('stopped', elapsed());
  log.flush();
  process.exit(0);
}

function explain(error: unknown): number {
  if (error instanceof ConfigError) {
    const lines = error.mistakes.map((mistake) => `  ${mistake}\n`).join('');
    process.stderr.write(`The configuration has mistakes:\n${lines}See .env.example for every variable.\n`);
    return EXIT.config;
  }
  if (error instanceof StartError) {
    process.stderr.write(`Cannot start: ${error.message}\n`);
    return error.exitCode;
  }
  const { error: kind, error_code: code = '', at = '' } = traceOf(error);
  process.stderr.write(`Cannot start: unexpected ${kind} ${code} at ${at}\n`);
  return EXIT.failure;
}

/** Node would print the error's message, which may quote what a person sent. */
function crash(error: unknown): void {
  log.event('crashed', traceOf(error));
  log.flush();
  process.exit(EXIT.failure);
}

function summary(config: Config, certificate: Certificate | null, store: Store): string {
  const { site, listen: listeners, dataDir } = config;
  const lines = [
    ['Site', site.url],
    ['API', site.url + site.apiPath],
    [
      'TLS',
      certificate ? `${certificate.file}, valid to ${certificate.validTo.slice(0, 10)}` : 'by the proxy',
    ],
    ['Plain', listeners.httpPort === null ? 'off' : `port ${listeners.httpPort}, sends pages to HTTPS`],
    ['Records', `${store.engine.name}, ${store.engine.place}`],
    ['Data', dataDir],
    ['Try', `curl -k ${site.url}${site.apiPath}/health`],
  ];
  const table = lines.map(([name = '', value]) => `  ${name.padEnd(8)} ${value}\n`).join('');
  return `\n${site.name} is ready.\n\n${table}\nStop it with Ctrl+C.\n\n`;
}
