/** A PostgreSQL server of a bench's own, and the settings of services that use a new database on it. */

import { generateId } from '#platform/ids.ts';
import { generateMasterKey } from '#store/keyring.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { startPostgres } from '#test/postgres-server.ts';

/** Returns what makes settings, each with an empty database. */
export async function createPostgresSettings(
  t: CleanupScope,
): Promise<() => Promise<Record<string, string>>> {
  const server = await startPostgres(t);
  return async () => {
    const dataDir = await createDataFolder(t);
    return {
      DATA_DIR: dataDir,
      DATABASE_URL: await server.createDatabase(`bench_${generateId()}`),
      MASTER_KEY: generateMasterKey(),
      ...(await readRecipientSettings(dataDir)),
    };
  };
}
