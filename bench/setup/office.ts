/** A data folder for the service under a bench: its store, a client with every scope, and paid orders for that client. */
import { type ClientCredentials, createClient } from '#clients/clients.ts';
import { computeOrderOwnerTag } from '#payments/owner.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { generateId } from '#platform/ids.ts';
import { openLog } from '#platform/log.ts';
import { SCOPES } from '#platform/scopes.ts';
import { type Keyring, loadKeyring } from '#store/keyring.ts';
import { openStore, type Store } from '#store/store.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';

const ORDERS_AT_ONCE = 500;

export interface BenchOffice {
  readonly dataDir: string;
  readonly store: Store;
  readonly keyring: Keyring;
  readonly client: ClientCredentials;
  /** What the service is started with. */
  readonly env: Record<string, string>;
}

/** `env` has what is not as usual, such as a database; `known` is the client of a folder that was copied. */
export async function createBenchOffice(
  t: CleanupScope,
  env: Record<string, string> = {},
  known?: ClientCredentials,
): Promise<BenchOffice> {
  const dataDir = env['DATA_DIR'] ?? (await createDataFolder(t));
  const settings = { ...env, DATA_DIR: dataDir };
  const config = readConfig(settings);
  const keyring = await loadKeyring(config);
  const store = await openStore({ config, clock, log: openLog({ write: () => {} }) });
  t.after(() => store.close());
  const client = known ?? (await createBenchClient(store));
  return { dataDir, store, keyring, client, env: settings };
}

async function createBenchClient(store: Store): Promise<ClientCredentials> {
  return await createClient(
    { store, clock },
    {
      name: 'bench',
      scopes: SCOPES,
      grants: ['client_credentials'],
      redirectUris: [],
      credentials: 'bearer',
    },
  );
}

/** Returns their ids. */
export async function insertPaidOrders(
  { store, keyring, client }: Pick<BenchOffice, 'store' | 'keyring' | 'client'>,
  count: number,
): Promise<string[]> {
  const owner = computeOrderOwnerTag(keyring, { clientId: client.clientId, userId: null });
  const now = clock.now();
  const ids = Array.from({ length: count }, generateId);
  for (let at = 0; at < count; at += ORDERS_AT_ONCE) {
    const orders = ids
      .slice(at, at + ORDERS_AT_ONCE)
      .map((id) => createSampleOrder({ id, owner, payment: 'paid', created_at: now, expires_at: now }));
    await store.transaction((records) => records.insertInto('orders').values(orders).execute());
  }
  return ids;
}
