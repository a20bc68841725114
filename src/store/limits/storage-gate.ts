/** Admits what strangers send while there is room: below the cap of its kind and above the floor of the disk. */
import { sql } from 'kysely';
import { MINUTE_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import { createSingleFlight } from '#platform/single-flight.ts';
import { giveWay } from '#platform/turns.ts';
import { UNPAID_STATES } from '../schema/column-values.ts';
import type { Records } from '../schema/tables.ts';
import {
  CAPPED_KINDS,
  type CappedKind,
  computeCap,
  type DiskProbe,
  type DiskSpace,
  FLOOR_PARTS,
  isBelowFloor,
  ROW_BYTES,
} from './storage-caps.ts';

/** How long a measurement counts. */
const MEASURED_MS = 100;
/** No program writes this much in that time; with less than this above the floor, every writer measures. */
const PLENTY_BYTES = 64 * 1024 * 1024;

interface DiskMeasurement {
  readonly space: DiskSpace;
  /** How many of the announced bytes were on the disk before it was measured. */
  readonly writtenBefore: number;
  readonly measuredAt: number;
}

/** Why there is no room. */
export type StorageObstacle = 'cap' | 'floor';

interface AdmissionRequest {
  readonly kind: CappedKind;
  /** The size of the content. */
  readonly bytes: number;
  /** Deletes what may give way and returns the number of rows. */
  readonly makeRoom?: (obstacle: StorageObstacle) => Promise<number>;
  readonly refusal: () => ServiceError;
}

export interface StorageGate {
  /** Runs the work that stores the content, or throws the refusal. */
  readonly admit: <Result>(request: AdmissionRequest, work: () => Promise<Result>) => Promise<Result>;
  readonly hasRoom: (request: Pick<AdmissionRequest, 'kind' | 'bytes'>) => Promise<boolean>;
  /** For a piece of a paid inquiry: no cap, and only the last part of the floor must stay free. */
  readonly admitUpload: <Result>(bytes: number, work: () => Promise<Result>) => Promise<Result>;
  /** Recounts the requested kinds, because rows expire and other processes add and delete some. */
  readonly refresh: () => Promise<void>;
}

interface GateOptions {
  readonly measure: (kind: CappedKind) => Promise<StorageUse>;
  readonly disk: DiskProbe;
  readonly log: Log;
}

/** A kind that looks full is counted again after this time, so that a flood does not cause a count for each request. */
const RECOUNT_MS = 1_000;

/** Longer than the default interval between sweeps, so that a kind in steady use always has a recent count. */
const STALE_MS = 3 * MINUTE_MS;

/** Concurrent requests may take the room that one of them has made. */
const MAX_ROOM_TRIES = 3;

/** Counts in memory since the last measurement; processes that share a database may exceed a cap in between. */
export function createStorageGate({ measure, disk, log }: GateOptions): StorageGate {
  const countOnce = createSingleFlight();
  const counts = new Map<CappedKind, StorageUse & { readonly countedAt: number }>();
  /** The kinds requested since the last refresh. */
  const asked = new Set<CappedKind>();
  const closed = new Map<CappedKind, StorageObstacle>();
  const watch = createDiskWatch(disk);
  /** Everything that this process has admitted. */
  const begun = createTally();
  const ended = createTally();

  /** Content being stored during the count may or may not be in the database, so it is added to the count. */
  async function countAnew(kind: CappedKind): Promise<void> {
    await countOnce(kind, async () => {
      const countedAt = performance.now();
      const before = { ...ended[kind] };
      const stored = await measure(kind);
      const number = stored.number + begun[kind].number - before.number;
      const bytes = stored.bytes + begun[kind].bytes - before.bytes;
      counts.set(kind, { number, bytes, countedAt });
    });
  }

  /** A count that was running during the deletion may still include the rows; the next one does not. */
  async function countAfterDeletion(kind: CappedKind): Promise<void> {
    await countAnew(kind);
    await countAnew(kind);
  }

  /** Takes room as soon as it finds some: nothing waits between looking and taking. */
  async function takeRoom(kind: CappedKind, bytes: number, isTrial = false): Promise<StorageObstacle | null> {
    const size = bytes + ROW_BYTES;
    // Without a request for some minutes, the kind has not been counted.
    if (performance.now() - (counts.get(kind)?.countedAt ?? -Infinity) >= STALE_MS) await countAnew(kind);
    asked.add(kind);
    const view = await watch.look(size);
    const use = counts.get(kind)!;
    const cap = computeCap(kind, view.total);
    const part = kind === 'unpaid_orders' ? FLOOR_PARTS.checkout : FLOOR_PARTS.strangers;
    if (view.isLow(part)) return 'floor';
    if (use.number >= cap.number || use.bytes + size > cap.bytes) {
      if (performance.now() - use.countedAt < RECOUNT_MS) return 'cap';
      await countAnew(kind);
      return await takeRoom(kind, bytes, isTrial);
    }
    if (isTrial) return null;
    for (const each of [use, begun[kind]]) addOne(each, size);
    watch.announce(size);
    return null;
  }

  function settle(kind: CappedKind, bytes: number): void {
    addOne(ended[kind], bytes + ROW_BYTES);
    watch.settle(bytes + ROW_BYTES);
  }

  function reportChange(kind: CappedKind, obstacle: StorageObstacle | null): void {
    if ((closed.get(kind) ?? null) === obstacle) return;
    if (obstacle) closed.set(kind, obstacle);
    else closed.delete(kind);
    if (obstacle) log.event('storage_full', { kind, reason: obstacle });
    else log.event('storage_reopened', { kind });
  }

  return {
    admit: async ({ kind, bytes, makeRoom, refusal }, work) => {
      let obstacle = await takeRoom(kind, bytes);
      for (let tries = 0; obstacle && tries < MAX_ROOM_TRIES; tries += 1) {
        if (!makeRoom || (await makeRoom(obstacle)) === 0) break;
        await countAfterDeletion(kind);
        obstacle = await takeRoom(kind, bytes);
      }
      reportChange(kind, obstacle);
      if (obstacle) throw refusal();
      return await work().finally(() => settle(kind, bytes));
    },
    hasRoom: async ({ kind, bytes }) => (await takeRoom(kind, bytes, true)) === null,
    admitUpload: async (bytes, work) => {
      const view = await watch.look(bytes);
      if (view.isLow(FLOOR_PARTS.uploads)) throw new ServiceError('storage_unavailable');
      watch.announce(bytes);
      return await work().finally(() => watch.settle(bytes));
    },
    refresh: async () => {
      // Kinds requested in the meantime are counted the next time.
      const kinds = [...asked];
      asked.clear();
      for (const kind of kinds) {
        await countAnew(kind);
        await giveWay();
      }
    },
  };
}

function createTally(): Readonly<Record<CappedKind, StorageUse>> {
  const entries = CAPPED_KINDS.map((kind) => [kind, { number: 0, bytes: 0 }]);
  return Object.fromEntries(entries) as Record<CappedKind, StorageUse>;
}

function addOne(use: StorageUse, bytes: number): void {
  use.number += 1;
  use.bytes += bytes;
}

export function createDiskWatch(probe: DiskProbe) {
  let announced = 0;
  let settled = 0;
  let last: DiskMeasurement | null = null;
  const measureOnce = createSingleFlight();

  function isLow({ space, writtenBefore }: DiskMeasurement, bytes: number, part: number): boolean {
    return isBelowFloor(space, announced - writtenBefore + bytes, part);
  }

  function findRecent(bytes: number): DiskMeasurement | null {
    const isRecent = last !== null && performance.now() - last.measuredAt < MEASURED_MS;
    return isRecent && !isLow(last!, PLENTY_BYTES + bytes, 1) ? last : null;
  }

  async function measureAgain(): Promise<DiskMeasurement | null> {
    const before = { writtenBefore: settled, measuredAt: performance.now() };
    const space = (await probe?.()) ?? null;
    last = space && { space, ...before };
    return last;
  }

  return {
    /** What a writer of this many bytes sees; `announce` must follow `isLow` without waiting in between. */
    look: async (bytes: number) => {
      const measured = findRecent(bytes) ?? (await measureOnce('disk', measureAgain));
      return {
        /** Null if it is not known. */
        total: measured?.space.total ?? null,
        /** `part` is the part of the floor that this writer must leave. */
        isLow: (part: number) => measured !== null && isLow(measured, bytes, part),
      };
    },
    /** Adds bytes that will be written. */
    announce: (bytes: number) => {
      announced += bytes;
    },
    /** Subtracts bytes that have been written, or never will be. */
    settle: (bytes: number) => {
      settled += bytes;
    },
  };
}

export interface StorageUse {
  number: number;
  bytes: number;
}

/** The condition on tokens is spelled as in their partial index, which SQLite would not use otherwise. */
const contentSql: Readonly<Record<CappedKind, string>> = {
  contact_messages: 'sum(octet_length(sealed)) as bytes from contact_messages',
  registrations: `sum(octet_length(name) + octet_length(redirect_uris) + octet_length(contact_ciphertext)) as bytes
    from registrations where status in ('pending', 'rejected')`,
  sign_ins: `sum(octet_length(payload)) as bytes from tokens where kind in ('Interaction', 'Session')`,
  sign_in_codes: 'sum(octet_length(address_ciphertext)) as bytes from sign_in_codes',
  // All rows have one size, so only the index is read.
  unpaid_orders: `0 as bytes from orders where payment in ('${UNPAID_STATES.join("', '")}')`,
};

/** Every table or index read here is bounded by its cap. */
export async function measureStorageUse(records: Records, kind: CappedKind): Promise<StorageUse> {
  const query = sql.raw<{ number: number | string; bytes: number | string | null }>(
    `select count(*) as number, ${contentSql[kind]}`,
  );
  const [row] = (await query.execute(records)).rows;
  const number = Number(row?.number ?? 0);
  return { number, bytes: Number(row?.bytes ?? 0) + number * ROW_BYTES };
}
