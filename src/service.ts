/** Starts the service: opens the store, connects the parts, listens, reloads its certificate and stops gracefully. */
import type { Server as SecureServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from '#app.ts';
import { recordTermsInForce } from '#cases/intake/terms.ts';
import { isRecipientSetAdopted, loadSharedSealingKeys } from '#cases/sealing/recipient-set.ts';
import { requireSharedSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { createSealingThread } from '#cases/sealing-thread/sealing-thread.ts';
import { loadSiteContent } from '#content/site-content.ts';
import { startPaymentProvider } from '#payments/provider/start-provider.ts';
import { createPeriodicTasks } from '#periodic-tasks.ts';
import { buildPublicAddresses } from '#platform/addresses.ts';
import { isCacheWritable } from '#platform/cache-folder.ts';
import { systemClock as clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { VERSION } from '#platform/config/version.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import type { App } from '#platform/http/app-type.ts';
import { type Certificate, loadCertificate } from '#platform/http/certificate.ts';
import { createDrain } from '#platform/http/drain.ts';
import { openHttpListeners } from '#platform/http/listen.ts';
import { createPlainListener } from '#platform/http/plain-listener.ts';
import type { Log } from '#platform/log.ts';
import { checkMail, ensureMailFolder } from '#platform/mail/mail.ts';
import { resolvePublicName } from '#platform/net/webhook-target.ts';
import { startSchedule } from '#platform/schedule.ts';
import { createSingleFlight } from '#platform/single-flight.ts';
import type { Services } from '#services.ts';
import { buildStartSummary, MAX_COUNTED_CASES, reportStart } from '#start-summary.ts';
import { countCasesToReseal } from '#store/cases/case-keys.ts';
import { createClockGuard } from '#store/clock-guard.ts';
import { loadKeyring } from '#store/keys/keyring.ts';
import { adoptMasterKey } from '#store/keys/master-keys.ts';
import { openStore } from '#store/store.ts';
import { loadScripts } from '#view/scripts/scripts.ts';
import { checkReadiness } from '#watch/readiness.ts';
import {
  inspectBackups,
  inspectClockOffset,
  inspectSurroundings,
  type Observation,
} from '#watch/surroundings.ts';

const STOP_MS = 10_000;
/** Requests that would wait longer get a 503; the caller should retry. */
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

export async function startService({
  config,
  certificate,
  log: ownLog,
}: StartOptions): Promise<ServiceHandle> {
  // Everything started so far ends in reverse order, either when the start fails or when the service stops.
  await using started = new AsyncDisposableStack();
  const { metricsPort } = config.listen;
  const management =
    metricsPort === null
      ? null
      : (await import('#watch/management.ts')).createManagement(config, metricsPort);
  const log = management?.meterLog(ownLog) ?? ownLog;
  // Only `npm start` also runs a sandbox; `npm run serve` runs only the service.
  const { paymentProvider, sandbox } = await startPaymentProvider(config, {
    withSandbox: process.argv.includes('--with-sandbox'),
    clock,
    log,
    observeCall: management?.observeProviderCall,
  });
  started.defer(async () => await sandbox?.stop());
  requireSharedSealingKeys(config);
  const opening = openStore({ config, clock, log, maxWaitMs: MAX_STORE_WAIT_MS });
  const store = started.adopt(await opening, async (each) => await each.close());
  const isFirstStart = !(await isRecipientSetAdopted(store.records));
  const sealingKeys = loadSharedSealingKeys({ store }, config, isFirstStart);
  sealingKeys.catch(() => {});
  // The first start may generate the keys, which takes time; only code that needs them waits.
  if (!isFirstStart) await sealingKeys;
  const thread = started.adopt(createSealingThread({ log }), async (each) => await each.close());
  const mailChecking = checkMailAtStart(config, log);
  const services = await createServices(config, {
    log,
    store,
    paymentProvider,
    sealingKeys,
    sealing: thread.steps,
  });
  const app = await buildApp({ config, certificate, services });
  const tls = { certificate };
  // In parallel: a task that keeps running must not keep the listeners open.
  const endings: (() => Promise<void>)[] = [() => app.close()];
  started.defer(async () => await endInTime(endings, log));
  const listeners = await openHttpListeners(app, createPlainListener(services.addresses), config.listen);
  endings.push(() => listeners.close());
  const managing = await management?.listen({ services, getCertificate: () => tls.certificate });
  if (managing) endings.push(() => managing.close());
  // No caller waits for the tasks, so under load they are delayed rather than refused.
  const taskServices = { ...services, store: { ...store, transaction: store.patientTransaction } };
  const schedule = startSchedule(createPeriodicTasks(config, taskServices), log);
  endings.push(async () => {
    await schedule.stop();
    // If this fails, the lease expires by itself.
    await store.resign().catch(() => {});
  });
  const clockAlarm = services.clockGuard.getAlarm();
  const { set } = await sealingKeys;
  await loadScripts();
  await sandbox?.ready;
  log.event('started', { version: VERSION, engine: store.engine.name, pid: process.pid });
  const summary = buildStartSummary(config, {
    certificate,
    store,
    sandbox,
    sealingKeys: await sealingKeys,
    clockAlarm,
    mailFault: await mailChecking,
    casesToReseal: await countCasesToReseal(store.records, set, MAX_COUNTED_CASES),
    isCacheKept: await isCacheWritable(),
    observations: await inspectAtStart(config, services),
  });
  const failed = (await checkReadiness(services)).flatMap(({ name, ok }) => (ok ? [] : name));
  reportStart(config.site.name, summary, failed);
  const running = started.move();
  return {
    reload: async () => {
      tls.certificate = (await reloadCertificate(config, app, log)) ?? tls.certificate;
    },
    stop: async (signal) => {
      const startedAt = performance.now();
      log.event('stopping', { signal });
      if (config.tls.mode === 'proxy') await services.drain.begin();
      await running.disposeAsync();
      log.event('stopped', { ms: Math.round(performance.now() - startedAt) });
    },
  };
}

type GivenServices = Pick<Services, 'log' | 'store' | 'paymentProvider' | 'sealingKeys' | 'sealing'>;

async function createServices(config: Config, given: GivenServices): Promise<Services> {
  const { log, store } = given;
  const keyring = await loadKeyring(config);
  await adoptMasterKey({ store, keyring, clock });
  const clockGuard = createClockGuard({ clock, store, log });
  await clockGuard.readTrustedTime();
  const services = {
    ...given,
    ...(await loadSiteContent(config)),
    addresses: buildPublicAddresses(config),
    clock: clockGuard.sharedClock,
    clockGuard,
    drain: createDrain(log),
    keyring,
    singleFlight: createSingleFlight(),
    contactWays: config.contactWays,
    clientDocumentHosts: config.clientDocumentHosts,
    webhookNetwork: { resolveHost: resolvePublicName, allowLoopback: config.webhookLoopback },
  };
  await recordTermsInForce(services);
  return services;
}

/** The checks of `doctor` that are cheap enough for every start. */
async function inspectAtStart(config: Config, services: Services): Promise<Observation[]> {
  const now = services.clock.now();
  return [
    ...(await inspectSurroundings(config, services.clock)),
    ...inspectClockOffset(now - clock.now()),
    ...(await inspectBackups(services.store.records, config, now)),
  ];
}

/** A mail server that does not work is reported but does not prevent the start: its e-mails stay queued. */
async function checkMailAtStart(config: Config, log: Log): Promise<string | null> {
  const fault = (await ensureMailFolder(config)) ?? (await checkMail(config));
  if (fault !== null) log.event('mail_not_working', { reason: fault });
  else if (config.mail.smtpUrl !== null) log.event('mail_checked');
  return fault;
}

/** Returns null without a certificate, or if its files cannot be used: the service keeps the one that it has. */
async function reloadCertificate(config: Config, app: App, log: Log): Promise<Certificate | null> {
  try {
    const certificate = await loadCertificate(config, clock);
    if (!certificate) return null;
    (app.server as SecureServer).setSecureContext({ key: certificate.key, cert: certificate.cert });
    log.event('certificate_reloaded', { valid_to: certificate.validTo });
    return certificate;
  } catch (error) {
    log.event('certificate_not_reloaded', {
      reason: error instanceof ProgramError ? error.message : 'unknown',
    });
    return null;
  }
}

/** Requests and tasks that take too long are abandoned. */
async function endInTime(endings: readonly (() => Promise<void>)[], log: Log): Promise<void> {
  const ended = Promise.all(endings.map((end) => end())).then(() => true);
  if (!(await Promise.race([ended, sleep(STOP_MS, false)]))) log.event('stop_timed_out', { ms: STOP_MS });
}
