/** Three instances of the service on one PostgreSQL, behind one address that leads to any instance that answers. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { loadSealingKeys } from '#cases/sealing/sealing-keys.ts';
import type { ClientCredentials } from '#clients/clients.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { SCOPES } from '#platform/scopes.ts';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { type CleanupScope, runInScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { createHttpsClient, type HttpsClient } from '#test/https-client.ts';
import { createClient } from '#test/oauth/created-client.ts';
import { requestBearer } from '#test/oauth/oauth-test-app.ts';
import { findFreePorts } from '#test/ports.ts';
import { type ServiceProcess, startServiceProcess } from '#test/service-process.ts';
import { openTestStore } from '#test/store/engines.ts';
import { type ShopSandbox, startShopSandbox } from '#test/test-shop.ts';

const INSTANCES = 3;

export interface OfficeFleet {
  readonly databaseUrl: string;
  /** The folder in which the sandbox stores its own records. */
  readonly dataDir: string;
  readonly sandbox: ShopSandbox;
  readonly get: HttpsClient;
  /** Requests a token with every scope for a client; returns the authorization header of its requests. */
  readonly authorize: (get: HttpsClient) => Promise<string>;
  readonly services: { readonly sealingKeys: ReturnType<typeof loadSealingKeys> };
  /** Kills an instance with SIGKILL, and returns a function that restarts it on its previous port. */
  readonly kill: (index: number) => Promise<() => Promise<void>>;
  readonly readOutputs: () => string;
}

export async function startOfficeFleet(owner: CleanupScope, databaseUrl: string): Promise<OfficeFleet> {
  const t = withReverseCleanup(owner);
  const [front = 0, ...ports] = await findFreePorts(1 + INSTANCES);
  const dataDir = await createDataFolder(t);
  await openRelay(t, front, ports);
  const sandbox = await startShopSandbox(t, front, dataDir);
  const env = {
    DATABASE_URL: databaseUrl,
    MASTER_KEY: generateMasterKey(),
    SITE_URL: `https://localhost:${front}`,
    RATE_LIMIT: 'off',
    SWEEP_SECONDS: '5',
    ...sandbox.env,
    ...(await readRecipientSettings(dataDir)),
  };
  const credentials = await createLoadClient({ ...env, DATA_DIR: dataDir });
  const folders = await Promise.all(ports.map(() => createDataFolder(t)));
  const started: ServiceProcess[] = [];
  const startInstance = async (index: number) => {
    const place = { PORT: String(ports[index]), DATA_DIR: folders[index] ?? '' };
    const service = await startServiceProcess(t, { ...env, ...place });
    started.push(service);
    return service;
  };
  const running = await Promise.all(ports.map((_port, index) => startInstance(index)));
  const get = await createHttpsClient(env.SITE_URL, dataDir);
  return {
    databaseUrl,
    dataDir,
    sandbox,
    get,
    authorize: async (client) => (await requestBearer(client, credentials)).authorization,
    services: { sealingKeys: loadSealingKeys(readConfig({ DATA_DIR: dataDir })) },
    kill: async (index) => {
      running[index]?.process.kill('SIGKILL');
      await running[index]?.ended;
      return async () => {
        running[index] = await startInstance(index);
      };
    },
    readOutputs: () => started.map(({ readOutput }) => readOutput()).join(''),
  };
}

/** Each connection leads to the next instance, or to the one after it if that one is down. */
async function openRelay(t: CleanupScope, port: number, targets: readonly number[]): Promise<void> {
  const sockets = new Set<Socket>();
  let next = 0;
  const track = (socket: Socket, other?: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      other?.destroy();
    });
  };
  const forward = async (caller: Socket) => {
    for (let tries = 0; tries < targets.length; tries += 1) {
      next += 1;
      const instance = connect(targets[next % targets.length] ?? 0, '127.0.0.1');
      track(instance);
      if (!(await once(instance, 'connect').catch(() => null))) continue;
      track(instance, caller);
      track(caller, instance);
      caller.pipe(instance).pipe(caller);
      return;
    }
    caller.destroy();
  };
  const server = createServer((caller) => {
    track(caller);
    void forward(caller);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
}

async function createLoadClient(env: Record<string, string>): Promise<ClientCredentials> {
  const wanted = { name: 'load', scopes: SCOPES, grants: ['client_credentials'], redirectUris: [] } as const;
  return await runInScope(async (scope) => {
    const store = await openTestStore(scope, { env });
    return await createClient({ store, clock }, { ...wanted, credentials: 'bearer' });
  });
}
