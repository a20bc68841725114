/** Compares issuing a token with the same engine without a record store, and checking a token with no check. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '#clients/clients.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { openLog } from '#platform/log.ts';
import { SCOPES } from '#platform/scopes.ts';
import { openStore } from '#store/store.ts';
import { createHttpsClient } from '#test/https-client.ts';
import { compareTargets } from './compare.ts';
import { startBenchTarget } from './target.ts';

const CONNECTIONS = 32;

export async function benchToken(rounds: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'inquiry-office-bench-'));
  const client = await createBenchClient(dataDir);
  const env = { DATA_DIR: dataDir, RATE_LIMIT: 'off' };
  const engine = await startBenchTarget({
    name: 'the engine in memory',
    script: 'bench/bare-token.ts',
    env: { CLIENT_ID: client.clientId, CLIENT_SECRET: client.clientSecret },
  });
  const ours = await startBenchTarget({ name: 'Inquiry Office', script: 'src/main.ts', env });
  const form = {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`,
    },
    body: 'grant_type=client_credentials',
  } as const;
  try {
    process.stdout.write('Issuing a token (client_credentials)\n');
    await compareTargets(
      [engine, ours],
      { path: '/oauth2/token', connections: CONNECTIONS, ...form },
      rounds,
    );
    const get = await createHttpsClient(ours.origin, dataDir);
    const { json } = await get('/oauth2/token', form);
    const headers = { authorization: `Bearer ${json['access_token']}` };
    process.stdout.write('Reading the prices\n');
    await compareTargets(
      [
        { ...ours, name: 'without a token' },
        { ...ours, name: 'with a token', headers },
      ],
      { path: '/api/pricing', connections: CONNECTIONS },
      rounds,
    );
  } finally {
    await Promise.all([engine.stop(), ours.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function createBenchClient(dataDir: string) {
  const config = readConfig({ DATA_DIR: dataDir });
  const store = await openStore({ config, clock, log: openLog({ write: () => {} }) });
  const client = await createClient(
    { store, clock },
    {
      name: 'bench',
      scopes: SCOPES,
      grants: ['client_credentials'],
      redirectUris: [],
      credentials: 'bearer',
    },
  );
  await store.close();
  return client;
}
