/** Both engines, ready for the suites that every engine must pass: a fresh place for records each time. */
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { openLog } from '#platform/log.ts';
import { createKeyring } from '#store/keys/keyring.ts';
import { openStore, type Store } from '#store/store.ts';
import { type CleanupScope, createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { openSharedPostgres, type PostgresServer, startPostgres } from '#test/postgres-server.ts';
import { isLongRun } from '#test/scale.ts';

export const TEST_MASTER_KEY = Buffer.alloc(32, 1).toString('base64');
export const testKeyring = createKeyring(TEST_MASTER_KEY);
export const silentLog = openLog({ write: () => {} });

export interface TestDatabase {
  readonly env: Record<string, string>;
}

export interface EngineUnderTest {
  readonly name: 'sqlite' | 'postgres';
  /** An empty database that several stores may open. */
  readonly createDatabase: (t: CleanupScope) => Promise<TestDatabase>;
}

export const sqliteUnderTest: EngineUnderTest = {
  name: 'sqlite',
  createDatabase: async (t) => ({ env: { DATA_DIR: await createTemporaryFolder(t) } }),
};

/** For what depends little on the engine: PostgreSQL only in the long run. */
export async function listEngines(t: CleanupScope): Promise<EngineUnderTest[]> {
  return isLongRun ? [sqliteUnderTest, await openPostgresEngine(t)] : [sqliteUnderTest];
}

/** The same for services that are started: what their environment has, by engine. */
export async function listEngineVariables(t: CleanupScope): Promise<Record<string, Record<string, string>>> {
  if (!isLongRun) return { sqlite: {} };
  return { sqlite: {}, postgres: (await (await openPostgresEngine(t)).createDatabase(t)).env };
}

/** On the server of the whole run. */
export async function openPostgresEngine(t: CleanupScope): Promise<EngineUnderTest> {
  return toPostgresEngine((await openSharedPostgres(t)).createDatabase);
}

/** On a server that the test may stop. */
export async function startPostgresEngine(
  t: CleanupScope,
): Promise<EngineUnderTest & { server: PostgresServer }> {
  const server = await startPostgres(t);
  let databases = 0;
  return {
    ...toPostgresEngine(async () => {
      databases += 1;
      return await server.createDatabase(`office_${databases}`);
    }),
    server,
  };
}

function toPostgresEngine(createDatabase: () => Promise<string>): EngineUnderTest {
  return {
    name: 'postgres',
    createDatabase: async () => ({
      env: { DATABASE_URL: await createDatabase(), MASTER_KEY: TEST_MASTER_KEY },
    }),
  };
}

export async function openTestStore(owner: CleanupScope, { env }: TestDatabase): Promise<Store> {
  const t = withReverseCleanup(owner);
  const store = await openStore({ config: readConfig(env), clock: systemClock, log: silentLog });
  t.after(() => store.close());
  return store;
}
