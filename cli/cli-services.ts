/** The services that commands use: the store, opened beside a running service, and the keyring. */
import { constants } from 'node:fs';
import { systemClock as clock } from '#platform/clock.ts';
import { loadConfig } from '#platform/config/config.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { Log } from '#platform/log.ts';
import type { Services } from '#services.ts';
import { createClockGuard } from '#store/clock-guard.ts';
import { toDatabasePath } from '#store/engine/sqlite.ts';
import { type Keyring, loadKeyring } from '#store/keys/keyring.ts';
import { requireMasterKey } from '#store/keys/master-keys.ts';
import { requireNoUnfinishedRestore } from '#store/restore/unfinished-restore.ts';
import { openStore } from '#store/store.ts';
import { explainAccess } from './terminal/file-access.ts';
import { getIo } from './terminal/io.ts';

export type CliServices = Pick<Services, 'clock' | 'store'>;

export async function withStore<Result>(work: (services: CliServices) => Promise<Result>): Promise<Result> {
  const config = loadConfig(getIo().env);
  // Only the service creates a database; otherwise a mistyped DATA_DIR would show an empty queue.
  if (!config.store.databaseUrl) requireUsableDatabase(config.dataDir);
  const store = await openStore({ config, clock, log: createWaitingLog(), migrates: false });
  try {
    const { sharedClock, readTrustedTime } = createClockGuard({ clock, store, log: createWaitingLog() });
    await readTrustedTime();
    return await work({ clock: sharedClock, store });
  } catch (error) {
    throw store.translate(error) ?? error;
  } finally {
    await store.close();
  }
}

function requireUsableDatabase(dataDir: string): void {
  requireNoUnfinishedRestore(dataDir);
  const fault = explainAccess(toDatabasePath(dataDir), constants.R_OK | constants.W_OK);
  if (fault === null) return;
  if (fault.isMissing)
    throw new ProgramError(`${dataDir}: there is no database here; check DATA_DIR`, EXIT_CODES.config);
  throw new ProgramError(fault.text, EXIT_CODES.noPermission);
}

export interface KeyedCliServices extends CliServices {
  readonly keyring: Keyring;
}

/** For data that the service encrypts with its own keys: needs the same MASTER_KEY as the service. */
export async function withStoreAndKeyring<Result>(
  work: (services: KeyedCliServices) => Promise<Result>,
): Promise<Result> {
  return await withStore(async (services) => {
    const keyed = { ...services, keyring: await loadKeyring(loadConfig(getIo().env)) };
    await requireMasterKey(keyed);
    return await work(keyed);
  });
}

/** A log that prints nothing but one line about waiting for the database, to explain a pause. */
export function createWaitingLog(): Log {
  let printed = false;
  return {
    event: (name) => {
      if (name !== 'database_waiting' || printed) return;
      printed = true;
      getIo().stderr.write('The database is not responding yet; waiting up to 30 seconds.\n');
    },
    flush: () => {},
    close: async () => {},
  };
}
