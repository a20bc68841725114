/** The records of the office, opened beside a running service and closed in any case. */
import { existsSync } from 'node:fs';
import { systemClock as clock } from '#platform/clock.ts';
import { loadConfig } from '#platform/config.ts';
import { EXIT } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import type { Services } from '#services.ts';
import { demandSameKey, type Keyring, loadKeyring } from '#store/keyring.ts';
import { databaseFile } from '#store/sqlite.ts';
import { openStore } from '#store/store.ts';
import { Failure } from './failure.ts';

export type Office = Pick<Services, 'clock' | 'store'>;

export async function inOffice<Result>(work: (office: Office) => Promise<Result>): Promise<Result> {
  const config = loadConfig();
  // Only the service makes a database: a mistyped DATA_DIR would else show an empty queue.
  if (!config.store.databaseUrl && !existsSync(databaseFile(config.dataDir)))
    throw new Failure(`${config.dataDir}: no records are here; check DATA_DIR`, EXIT.config);
  const store = await openStore({ config, clock, log: waitingLog() });
  try {
    return await work({ clock, store });
  } catch (error) {
    throw store.translate(error) ?? error;
  } finally {
    await store.close();
  }
}

export interface KeyedOffice extends Office {
  readonly keyring: Keyring;
}

/** For what lies encrypted under the service's own keys: needs the same MASTER_KEY. */
export async function inKeyedOffice<Result>(work: (office: KeyedOffice) => Promise<Result>): Promise<Result> {
  return await inOffice(async (office) => {
    const keyring = await loadKeyring(loadConfig());
    await demandSameKey(office.store.records, keyring);
    return await work({ ...office, keyring });
  });
}

/** Of the log only what explains a silence. */
function waitingLog(): Log {
  let told = false;
  return {
    event: (name) => {
      if (name !== 'database_waiting' || told) return;
      told = true;
      process.stderr.write('The database does not answer yet; waiting up to 30 seconds.\n');
    },
    flush: () => {},
    close: async () => {},
  };
}
