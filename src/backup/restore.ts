/** Restores a backup into an empty place, which is not used until all checks and purges are complete. */
import { createPurger } from '#cases/ending/purge.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { DAY_MS } from '#platform/durations.ts';
import { openLog } from '#platform/log.ts';
import type { Services } from '#services.ts';
import { undoWaitingPurges } from '#store/cases/cases.ts';
import { clearNoticeIds } from '#store/cases/notices.ts';
import { markRestoredRefunds } from '#store/cases/refunds.ts';
import { endOffers } from '#store/clients/registrations.ts';
import { markRestoredWebhooks } from '#store/clients/webhooks.ts';
import { acceptClock, createClockGuard } from '#store/clock-guard.ts';
import { noteMasterKey } from '#store/keys/master-keys.ts';
import { holdUnusedOrders } from '#store/orders/orders-to-review.ts';
import { type LoadedRecords, loadRecords } from '#store/restore/load-records.ts';
import { openPostgresRestorePlace } from '#store/restore/postgres-restore-place.ts';
import { openSqliteRestorePlace } from '#store/restore/sqlite-restore-place.ts';
import type { RestorePlace } from '#store/restore/unfinished-restore.ts';
import { openStore } from '#store/store.ts';
import { listHeaderInstallations } from './backup-stream.ts';
import {
  type BackupReader,
  type CopiedKeys,
  findNewestRecords,
  openBackup,
  readKeys,
  readNewestKeys,
  requireLaterClock,
  requireMatchingParts,
  requireSameTime,
} from './read-backup.ts';

/** The report says what was done. */
const log = openLog({ write: () => {} });

export interface RestoreRequest {
  readonly folder: string;
  /** Files to read instead of the newest ones in the folder. */
  readonly records: string | null;
  readonly keys: string | null;
}

/** Describes a machine whose time is long after the backup: either the backup is old or the clock is wrong. */
export interface ClockSkew {
  readonly now: number;
  readonly keysAt: number;
  /** Cases that would be purged because their date has passed. */
  readonly due: number;
}

export interface RestoreReport {
  /** The times at which records and keys were copied. */
  readonly recordsAt: number;
  readonly keysAt: number;
  /** The time that was accepted as correct. */
  readonly clockAt: number;
  readonly cases: number;
  readonly orders: number;
  readonly purged: { readonly since: number; readonly due: number };
  readonly unreadable: number;
  readonly missing: number;
  readonly held: { readonly paid: number; readonly other: number };
  /** Offers of credentials that the restore ended; a backup has nothing else that gives access. */
  readonly offers: number;
}

export interface RestoreServices {
  readonly config: Pick<Config, 'dataDir' | 'store' | 'sweepSeconds'>;
  readonly clock: Clock;
  readonly reader: BackupReader;
  /** Throws if the time should not be trusted; then nothing is restored. */
  readonly approveClock: (skew: ClockSkew) => Promise<void>;
}

/** Can be run again after being killed at any time. */
export async function restoreBackup(
  services: RestoreServices,
  request: RestoreRequest,
): Promise<RestoreReport> {
  const { config, reader } = services;
  const { databaseUrl } = config.store;
  // Both refuse a place that has records or shred keys.
  const place = await (databaseUrl === null
    ? openSqliteRestorePlace(config, reader.keyring)
    : openPostgresRestorePlace(config, databaseUrl));
  try {
    if (place.finished !== undefined) return JSON.parse(place.finished);
    const keys = await (request.keys === null
      ? readNewestKeys(reader, request.folder)
      : readKeys(reader, request.keys));
    const path = request.records ?? (await findNewestRecords(request.folder));
    const opened = await openBackup(reader, path, 'records');
    requireLaterClock(services.clock.now(), keys.header);
    const steps = requireMatchingParts(
      opened.header,
      keys.header,
      databaseUrl === null ? 'sqlite' : 'postgres',
    );
    return await fillPlace(services, place, { ...opened, keys, steps });
  } finally {
    await place.close();
  }
}

interface CheckedBackup extends Awaited<ReturnType<typeof openBackup>> {
  readonly keys: CopiedKeys;
  readonly steps: number;
}

async function fillPlace(
  services: RestoreServices,
  place: RestorePlace,
  { header, items, keys, steps }: CheckedBackup,
): Promise<RestoreReport> {
  await place.prepare();
  try {
    const options = { ...services, config: place.config, log };
    const loaded = await loadRecords(options, {
      steps,
      items,
      keys: keys.keys,
      previous: listHeaderInstallations(keys.header),
    });
    const times = { recordsAt: header.cutAt, keysAt: keys.header.cutAt };
    const report = { ...times, ...(await settleRestored(services, place, { ...loaded, ...times })) };
    await place.complete(JSON.stringify(report));
    return report;
  } catch (error) {
    // If this also fails, the place remains marked, and the next restore empties it.
    await place.abandon().catch(() => undefined);
    throw error;
  }
}

/** Runs before any request is answered: purges due cases, ends access, and holds orders that may have been used. */
async function settleRestored(
  { clock, reader: { keyring }, approveClock }: RestoreServices,
  place: RestorePlace,
  loaded: LoadedRecords & Pick<RestoreReport, 'keysAt'>,
): Promise<Omit<RestoreReport, 'recordsAt' | 'keysAt'>> {
  const store = await openStore({ config: place.config, clock, log, restoring: true });
  try {
    const { held, offers } = await store.transaction(async (records) => ({
      // The backup is genuine, so it was written with this key.
      key: await noteMasterKey(records, keyring, clock.now()),
      held: await holdUnusedOrders(records, clock.now()),
      offers: await endOffers(records),
      notices: await clearNoticeIds(records),
      refunds: await markRestoredRefunds(records),
      webhooks: await markRestoredWebhooks(records),
      purges: await undoWaitingPurges(records),
    }));
    requireSameTime(clock.now(), await store.readDatabaseTime());
    const skew = { now: clock.now(), keysAt: loaded.keysAt };
    if (skew.now > skew.keysAt + DAY_MS)
      await approveClock({ ...skew, due: await countDueCases(store.records, skew.now) });
    const clockAt = clock.now();
    await acceptClock(store, clockAt);
    const clockGuard = createClockGuard({ clock, store, log });
    await createPurger({ clock, keyring, store, clockGuard }, log).run();
    const left = await countCases(store);
    const { rows, purged: since, unreadable, missing } = loaded;
    const all = rows['cases'] ?? 0;
    const due = all - left - since;
    return {
      clockAt,
      cases: left,
      orders: rows['orders'] ?? 0,
      purged: { since, due },
      unreadable,
      missing,
      held,
      offers,
    };
  } finally {
    await store.close();
  }
}

async function countDueCases(records: Services['store']['records'], now: number): Promise<number> {
  const cases = records.selectFrom('cases').select('id').where('purging', '=', 0);
  return (await cases.where('purge_at', '<=', now).execute()).length;
}

/** Throws if a case that should have been purged is still there. */
async function countCases(store: Services['store']): Promise<number> {
  const rows = await store.records.selectFrom('cases').select('purging').execute();
  if (rows.some(({ purging }) => purging === 1)) throw new Error('a case could not be purged');
  return rows.length;
}
