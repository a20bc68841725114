/** Builds the service's app in the test's process, on a real TLS port, with its log in memory. */
import { buildApp } from '#app.ts';
import { recordTermsInForce } from '#cases/intake/terms.ts';
import { adoptRecipientSet } from '#cases/sealing/recipient-set.ts';
import { loadSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { createSealingThread, type SealingThread } from '#cases/sealing-thread/sealing-thread.ts';
import { loadSiteContent } from '#content/site-content.ts';
import { StripeProvider } from '#payments/provider/stripe.ts';
import { buildPublicAddresses } from '#platform/addresses.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import type { App } from '#platform/http/app-type.ts';
import { loadCertificate } from '#platform/http/certificate.ts';
import { createDrain } from '#platform/http/drain.ts';
import { openLog } from '#platform/log.ts';
import { type HostResolver, resolvePublicName } from '#platform/net/webhook-target.ts';
import { createSingleFlight } from '#platform/single-flight.ts';
import type { Services } from '#services.ts';
import { createKeyring, generateMasterKey, type Keyring } from '#store/keys/keyring.ts';
import type { DiskProbe } from '#store/limits/storage-caps.ts';
import { openStore, type Store } from '#store/store.ts';
import { type CleanupScope, processScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { createHttpsClient, type HttpsClient } from '#test/https-client.ts';
import { findFreePorts } from '#test/ports.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';

export interface TestApp {
  readonly app: App;
  readonly store: Store;
  readonly services: Services;
  readonly dataDir: string;
  readonly port: number;
  readonly get: HttpsClient;
  readonly readLog: () => string;
}

export interface TestAppOptions {
  readonly env?: Record<string, string>;
  /** Routes that only a test needs. */
  readonly routes?: (app: App) => void;
  readonly store?: (store: Store) => Store;
  readonly clock?: Clock;
  readonly keyring?: Keyring;
  /** Replaces the real name resolution. */
  readonly resolveHost?: HostResolver;
  /** Overrides whether the configuration allows webhooks to this machine. */
  readonly allowLoopback?: boolean;
  /** Replaces the real disk. */
  readonly disk?: DiskProbe;
  /** Sends requests without a port; the app then does not listen. */
  readonly inject?: (app: App) => HttpsClient;
}

let sealingThread: SealingThread | undefined;

/** One thread for all apps of the process, because starting it takes longer than most of its work. */
function shareSealingThread(): SealingThread {
  if (!sealingThread) {
    const thread = createSealingThread({ log: openLog({ write: () => {} }) });
    sealingThread = thread;
    processScope.after(() => thread.close());
  }
  return sealingThread;
}

export async function buildTestApp(owner: CleanupScope, changes: TestAppOptions = {}): Promise<TestApp> {
  const t = withReverseCleanup(owner);
  const [freePort = 0] = await findFreePorts(1);
  const folder = changes.env?.['DATA_DIR'] ?? (await createDataFolder(t));
  const config = readConfig({
    PORT: String(freePort),
    DATA_DIR: folder,
    RATE_LIMIT: 'off',
    CONTACT_WAYS: 'email,phone,signal,other',
    ...(changes.env?.['DATABASE_URL'] &&
      !changes.env['DESK_RECIPIENTS_FILE'] &&
      (await readRecipientSettings(folder))),
    ...changes.env,
  });
  const { dataDir } = config;
  const { port } = config.listen;
  const lines: string[] = [];
  const log = openLog({ write: (line) => void lines.push(line) });
  const { disk = null } = changes;
  const opened = await openStore({ config, clock: systemClock, log, ...(disk && { disk }) });
  const store = changes.store?.(opened) ?? opened;
  const certificate = await loadCertificate(config, systemClock);
  const addresses = buildPublicAddresses(config);
  const clock = changes.clock ?? systemClock;
  const paymentProvider = new StripeProvider(config.payments, { clock, log });
  const keyring = changes.keyring ?? createKeyring(config.store.masterKey ?? generateMasterKey());
  const sealingKeys = loadSealingKeys(config);
  t.after(() => sealingKeys);
  await adoptRecipientSet({ store: opened }, await sealingKeys, config.seal);
  const { content, terms } = await loadSiteContent(config);
  const services = {
    addresses,
    ...createTrustedClock(clock),
    log,
    keyring,
    store,
    paymentProvider,
    drain: createDrain(log),
    singleFlight: createSingleFlight(),
    sealingKeys,
    sealing: { ...shareSealingThread().steps },
    content,
    contactWays: config.contactWays,
    clientDocumentHosts: config.clientDocumentHosts,
    webhookNetwork: {
      resolveHost: changes.resolveHost ?? resolvePublicName,
      allowLoopback: changes.allowLoopback ?? config.webhookLoopback,
    },
    terms,
  };
  await recordTermsInForce(services);
  const app = await buildApp({ config, certificate, services });
  changes.routes?.(app);
  if (!changes.inject) await app.listen({ host: '127.0.0.1', port });
  t.after(async () => {
    await app.close();
    await opened.close();
  });
  const get = changes.inject?.(app) ?? (await createHttpsClient(`https://localhost:${port}`, dataDir));
  return { app, store, services, dataDir, port, get, readLog: () => lines.join('') };
}
