/** The service's app built in the test's own process, on a real TLS port, with its log in memory. */
import { buildApp } from '#app.ts';
import { publicAddresses } from '#platform/addresses.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { loadCertificate } from '#platform/http/certificate.ts';
import type { App } from '#platform/http/server.ts';
import { openLog } from '#platform/log.ts';
import { openStore, type Store } from '#store/store.ts';
import { lastFirst, type Owner, ownFolder } from './folder.ts';
import { type Client, clientFor } from './https-client.ts';
import { freePorts } from './ports.ts';

export interface BuiltApp {
  readonly app: App;
  readonly store: Store;
  readonly port: number;
  readonly get: Client;
  readonly log: () => string;
}

interface Changes {
  readonly env?: Record<string, string>;
  /** Routes that only a test needs. */
  readonly routes?: (app: App) => void;
  readonly store?: (store: Store) => Store;
}

export async function builtApp(owner: Owner, changes: Changes = {}): Promise<BuiltApp> {
  const t = lastFirst(owner);
  const [port = 0] = await freePorts(1);
  const dataDir = await ownFolder(t);
  const config = readConfig({ PORT: String(port), DATA_DIR: dataDir, RATE_LIMIT: 'off', ...changes.env });
  const lines: string[] = [];
  const log = openLog({ write: (line) => void lines.push(line) });
  const opened = await openStore({ config, clock: systemClock, log });
  const store = changes.store?.(opened) ?? opened;
  const certificate = await loadCertificate(config, systemClock);
  const addresses = publicAddresses(config);
  const app = await buildApp({ config, addresses, certificate, clock: systemClock, log, store });
  changes.routes?.(app);
  await app.listen({ host: '127.0.0.1', port });
  t.after(async () => {
    await app.close();
    await opened.close();
  });
  const get = await clientFor(`https://localhost:${port}`, dataDir);
  return { app, store, port, get, log: () => lines.join('') };
}
