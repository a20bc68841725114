/** Both engines for the suites that each must pass, with a fresh database each time. */
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
  /** Creates an empty database that several stores may open. */
  readonly createDatabase: (t: CleanupScope) => Promise<TestDatabase>;
}

export const sqliteUnderTest: EngineUnderTest = {
  name: 'sqlite',
  createDatabase: async (t) => ({ env: { DATA_DIR: await createTemporaryFolder(t) } }),
};

/** For tests that depend little on the engine: includes PostgreSQL only in the long run. */
export async function listEngines(t: CleanupScope): Promise<EngineUnderTest[]> {
  return isLongRun ? [sqliteUnderTest, await openPostgresEngine(t)] : [sqliteUnderTest];
}

/** The same for services: returns the environment variables by engine. */
export async function listEngineVariables(t: CleanupScope): Promise<Record<string, Record<string, string>>> {
  if (!isLongRun) return { sqlite: {} };
  return { sqlite: {}, postgres: (await (await openPostgresEngine(t)).createDatabase(t)).env };
}

/** Uses the shared server of the run. */
export async function openPostgresEngine(t: CleanupScope): Promise<EngineUnderTest> {
  return toPostgresEngine((await openSharedPostgres(t)).createDatabase);
}

/** Starts a server that the test may stop. */
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
