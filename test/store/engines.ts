/** Both engines, ready for the suites that every engine must pass: a fresh place for records each time. */
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { openLog } from '#platform/log.ts';
import { openStore, type Store } from '#store/store.ts';
import { type CleanupScope, createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { type PostgresServer, startPostgres } from '#test/postgres-server.ts';

const MASTER_KEY = Buffer.alloc(32, 1).toString('base64');
export const silentLog = openLog({ write: () => {} });

export interface TestDatabase {
  readonly env: Record<string, string>;
}

export interface EngineUnderTest {
  readonly name: 'sqlite' | 'postgres';
  /** An empty database that several stores may open. */
  readonly newPlace: (t: CleanupScope) => Promise<TestDatabase>;
}

export const sqliteUnderTest: EngineUnderTest = {
  name: 'sqlite',
  newPlace: async (t) => ({ env: { DATA_DIR: await createTemporaryFolder(t) } }),
};

export async function startPostgresEngine(
  t: CleanupScope,
): Promise<EngineUnderTest & { server: PostgresServer }> {
  const server = await startPostgres(t);
  let databases = 0;
  return {
    name: 'postgres',
    server,
    newPlace: async () => {
      databases += 1;
      return { env: { DATABASE_URL: await server.createDatabase(`office_${databases}`), MASTER_KEY } };
    },
  };
}

export async function openTestStore(owner: CleanupScope, { env }: TestDatabase): Promise<Store> {
  const t = withReverseCleanup(owner);
  const store = await openStore({ config: readConfig(env), clock: systemClock, log: silentLog });
  t.after(() => store.close());
  return store;
}
