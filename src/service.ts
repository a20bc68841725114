/** Starts the service: opens the store, connects the parts, listens, reloads its certificate and stops gracefully. */
import type { Server as SecureServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from '#app.ts';
import { recordTermsInForce } from '#cases/intake/terms.ts';
import { createSealingThread, type SealingThread } from '#cases/sealing/client.ts';
import { isSealingSetAdopted, loadSharedSealingKeys } from '#cases/sealing/recipient-set.ts';
import { requireSharedSealingKeys, type SealingKeys } from '#cases/sealing/sealing-keys.ts';
import { loadSiteContent } from '#content/site-content.ts';
import { StripeProvider } from '#payments/provider/stripe.ts';
import { type RunningPaymentSandbox, startPaymentSandbox } from '#payments/sandbox.ts';
import { createPeriodicTasks } from '#periodic-tasks.ts';
import { buildPublicAddresses } from '#platform/addresses.ts';
import { isCacheWritable } from '#platform/cache-folder.ts';
import { systemClock as clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { VERSION } from '#platform/config/version.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import type { App } from '#platform/http/app.ts';
import { type Certificate, loadCertificate } from '#platform/http/certificate.ts';
import { openHttpListeners } from '#platform/http/listen.ts';
import { createPlainListener } from '#platform/http/plain-listener.ts';
import type { Log } from '#platform/log.ts';
import { checkMail, ensureMailFolder } from '#platform/mail/mail.ts';
import { resolvePublicName } from '#platform/net/webhook-target.ts';
import { startSchedule, type TaskSchedule } from '#platform/schedule.ts';
import { createSingleFlight } from '#platform/single-flight.ts';
import { reportStart } from '#platform/start-report.ts';
import { buildStartSummary, MAX_COUNTED_CASES } from '#start-summary.ts';
import { countCasesToReseal } from '#store/cases/case-keys.ts';
import { type ClockAlarm, createClockGuard } from '#store/clock-guard.ts';
import { loadKeyring } from '#store/keys/keyring.ts';
import { adoptMasterKey } from '#store/keys/master-keys.ts';
import { openStore, type Store } from '#store/store.ts';
import { loadScripts } from '#view/scripts/scripts.ts';
import { type Management, prepareManagement } from '#watch/management.ts';

const STOP_MS = 10_000;
/** Then a request is refused with 503: its caller is better off trying again. */
const MAX_STORE_WAIT_MS = 1_000;

export interface ServiceHandle {
  readonly reload: () => Promise<void>;
  readonly stop: (signal: string) => Promise<void>;
}

interface StartOptions {
  readonly config: Config;
  readonly certificate: Certificate | null;
  readonly log: Log;
}

export async function startService(given: StartOptions): Promise<ServiceHandle> {
  const { config } = given;
  const management = await prepareManagement(config);
  const log = management?.meterLog(given.log) ?? given.log;
  const options = { ...given, log };
  // Only `npm start` also runs a sandbox; `npm run serve` runs only the service.
  const sandboxConfig = process.argv.includes('--with-sandbox') ? config.payments.sandbox : null;
  const sandbox = sandboxConfig ? await startPaymentSandbox(config, sandboxConfig.port, log) : null;
  let store: Store | undefined;
  let listening: Listening | undefined;
  try {
    requireSharedSealingKeys(config);
    store = await openStore({ config, clock, log, maxWaitMs: MAX_STORE_WAIT_MS });
    const isFirstStart = !(await isSealingSetAdopted(store.records));
    const sealingKeysLoading = loadSharedSealingKeys({ store }, config, isFirstStart);
    sealingKeysLoading.catch(() => {});
    // The first start may generate the keys, which takes time; only code that needs them waits.
    if (!isFirstStart) await sealingKeysLoading;
    const sealingThread = createSealingThread({ log });
    const mailChecking = checkMailAtStart(config, log);
    listening = await startListening(options, {
      store,
      sandbox,
      sealingKeys: sealingKeysLoading,
      sealing: sealingThread.steps,
      management,
    });
    const sealingKeys = await sealingKeysLoading;
    await loadScripts();
    await sandbox?.ready;
    log.event('started', { version: VERSION, engine: store.engine.name, pid: process.pid });
    const { certificate } = options;
    const { clockAlarm } = listening;
    const casesToReseal = await countCasesToReseal(store.records, sealingKeys.set, MAX_COUNTED_CASES);
    const mailFault = await mailChecking;
    const parts = {
      certificate,
      store,
      sandbox,
      sealingKeys,
      clockAlarm,
      mailFault,
      casesToReseal,
      isCacheKept: await isCacheWritable(),
    };
    reportStart(config.site.name, buildStartSummary(config, parts));
    const running = { ...listening, store, sandbox, sealingThread };
    return {
      reload: () => reloadCertificate(options, running),
      stop: (signal) => stopService(running, signal, log),
    };
  } catch (error) {
    if (listening) await endListening(listening);
    await sandbox?.stop();
    await store?.close();
    throw error;
  }
}

/** A mail server that does not work is told of, but keeps nothing from starting: what it should send waits. */
async function checkMailAtStart(config: Config, log: Log): Promise<string | null> {
  const fault = (await ensureMailFolder(config)) ?? (await checkMail(config));
  if (fault !== null) log.event('mail_not_working', { reason: fault });
  else if (config.mail.smtpUrl !== null) log.event('mail_checked');
  return fault;
}

interface Listening {
  readonly app: App;
  readonly closeListeners: () => Promise<void>;
  readonly schedule: TaskSchedule;
  /** As of the start. */
  readonly clockAlarm: ClockAlarm | null;
  /** Changes when the files are read again. */
  readonly tls: { certificate: Certificate | null };
}

interface StartedDependencies {
  readonly store: Store;
  readonly sandbox: RunningPaymentSandbox | null;
  readonly sealingKeys: Promise<SealingKeys>;
  readonly sealing: SealingThread['steps'];
  readonly management: Management | null;
}

async function startListening(
  { config, certificate, log }: StartOptions,
  { store, sandbox, sealingKeys, sealing, management }: StartedDependencies,
): Promise<Listening> {
  const addresses = buildPublicAddresses(config);
  const keyring = await loadKeyring(config);
  await adoptMasterKey({ store, keyring, clock });
  const observeCall = management?.observeProviderCall;
  const gateway = new StripeProvider(sandbox?.provider ?? config.payments, { clock, log, observeCall });
  const clockGuard = createClockGuard({ clock, store, log });
  await clockGuard.readTrustedTime();
  const { content, terms } = await loadSiteContent(config);
  const services = {
    addresses,
    clock: clockGuard.sharedClock,
    clockGuard,
    log,
    keyring,
    store,
    gateway,
    singleFlight: createSingleFlight(),
    sealingKeys,
    sealing,
    content,
    contactWays: config.contactWays,
    webhookNetwork: { resolveHost: resolvePublicName, allowLoopback: config.webhookLoopback },
    terms,
  };
  await recordTermsInForce(services);
  const app = await buildApp({ config, certificate, services });
  const tls = { certificate };
  const listeners = await openHttpListeners(app, createPlainListener(addresses), config.listen);
  const managing = management?.listen({ services, getCertificate: () => tls.certificate });
  const closeListeners = async () => {
    const managed = await managing?.catch(() => null);
    await Promise.all([app.close(), listeners.close(), managed?.close()]);
  };
  await managing?.catch(async (error: unknown) => {
    await closeListeners();
    throw error;
  });
  // No caller waits for what the tasks do, so under load they are served late rather than refused.
  const taskServices = { ...services, store: { ...store, transaction: store.patientTransaction } };
  const schedule = startSchedule(createPeriodicTasks(config, taskServices), log);
  return { app, closeListeners, schedule, tls, clockAlarm: clockGuard.getAlarm() };
}

async function reloadCertificate({ config, log }: StartOptions, { app, tls }: Listening): Promise<void> {
  try {
    const certificate = await loadCertificate(config, clock);
    if (!certificate) return;
    (app.server as SecureServer).setSecureContext({ key: certificate.key, cert: certificate.cert });
    tls.certificate = certificate;
    log.event('certificate_reloaded', { valid_to: certificate.validTo });
  } catch (error) {
    log.event('certificate_not_reloaded', {
      reason: error instanceof ProgramError ? error.message : 'unknown',
    });
  }
}

interface Running extends Listening {
  readonly store: Store;
  readonly sealingThread: SealingThread;
  readonly sandbox: RunningPaymentSandbox | null;
}

/** Returns false if requests or tasks were still running when the time for a stop had passed. */
async function endListening({ closeListeners, schedule }: Listening): Promise<boolean> {
  const ended = Promise.all([closeListeners(), schedule.stop()]).then(() => true);
  return await Promise.race([ended, sleep(STOP_MS, false)]);
}

async function stopService(running: Running, signal: string, log: Log): Promise<void> {
  const startedAt = performance.now();
  const computeElapsed = () => ({ ms: Math.round(performance.now() - startedAt) });
  log.event('stopping', { signal });
  if (!(await endListening(running))) log.event('stop_timed_out', computeElapsed());
  await running.sandbox?.stop();
  await running.sealingThread.close();
  await running.store.close();
  log.event('stopped', computeElapsed());
}
