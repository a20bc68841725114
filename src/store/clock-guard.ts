/** Decides whether the clock can be trusted, because deletion by date cannot be undone. */
import { type Selectable, sql } from 'kysely';
import type { Clock } from '#platform/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import type { Log } from '#platform/log.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { findRow, upsertRow } from './engine/selected-rows.ts';
import type { Records, Tables } from './schema/tables.ts';
import type { Store } from './store.ts';

/** If the clock is further ahead, the service was off for longer or the clock is wrong: only a person can decide. */
const MAX_AHEAD_MS = DAY_MS;
const MAX_DIFFERENCE_MS = HOUR_MS;
/** A larger offset from the database's clock is only reported: synchronized clocks differ by less. */
const TOLD_OFFSET_MS = 5_000;
/** How often the anchor is renewed, so that small corrections and short sleeps of the machine do not add up. */
const ANCHOR_MS = DAY_MS;

/** How long the database's time is extrapolated with the monotonic clock; the time is recorded more often. */
const KEPT_MS = 2 * MINUTE_MS;
/** Instances that share the records need not all write what one of them has just written. */
const RECORDED_MS = MINUTE_MS / 2;

export interface ClockAlarm {
  /** Skew from the last seen time (`ahead`, `behind`), the monotonic clock (`jumped`) or the database's clock. */
  readonly reason: 'ahead' | 'behind' | 'jumped' | 'database';
  /** What the clock showed. */
  readonly clock: number;
  /** The time that it was compared with. */
  readonly expected: number;
}

export interface ClockGuard {
  /**
   * The time of the database as of the last look, which all instances share: whether a finding is released or a case is
   * past its date must not depend on which instance answers. On SQLite, and before a look without skew, the time of
   * this machine.
   */
  readonly sharedClock: Clock;
  /** The time of `sharedClock`. Null while this machine has clock skew: then nothing may be deleted by date. */
  readonly readTrustedTime: () => Promise<number | null>;
  /** Asks the database, and records the last seen time, unless there is clock skew. */
  readonly recordTime: () => Promise<void>;
  /** As of the last look at either clock. */
  readonly getAlarm: () => ClockAlarm | null;
}

interface ClockGuardOptions {
  readonly clock: Clock;
  readonly store: Pick<Store, 'records' | 'transaction' | 'readDatabaseTime'>;
  readonly log: Log;
  /** Milliseconds that do not change when the clock is set. */
  readonly readMonotonic?: () => number;
}

/** A moment at which the clock was trusted. */
interface ClockAnchor {
  readonly clock: number;
  readonly monotonic: number;
}

/** The answer of the database. */
interface DatabaseLook {
  readonly time: number | null;
  readonly lastSeen: LastSeenTime | undefined;
  /** The time of the answer by the monotonic clock. */
  readonly at: number;
}

export function createClockGuard(options: ClockGuardOptions): ClockGuard {
  const { clock, store, log, readMonotonic = () => performance.now() } = options;
  let alarm: ClockAlarm | null = null;
  let anchor: ClockAnchor | null = null;
  let kept: DatabaseLook | null = null;
  let offset = 0;
  const sharedClock = { now: () => clock.now() + offset };

  const askDatabase = async () => {
    const asked = readMonotonic();
    const time = await store.readDatabaseTime();
    const at = (asked + readMonotonic()) / 2;
    const lastSeen = await findLastSeenTime(store.records);
    // The operator has accepted another time since, so the anchor is no longer valid.
    if (lastSeen && lastSeen.accepted !== (kept?.lastSeen?.accepted ?? 0)) anchor = null;
    kept = { time, lastSeen, at };
    return { now: compareClocks(kept), lastSeen };
  };

  const compareClocks = ({ time, lastSeen, at }: DatabaseLook) => {
    const moment = { clock: clock.now(), monotonic: readMonotonic() };
    const databaseTime = time === null ? null : time + moment.monotonic - at;
    const found = findSkew({ moment, anchor, lastSeen, databaseTime });
    reportChange(log, alarm, found);
    alarm = found;
    if (!found && (!anchor || moment.monotonic - anchor.monotonic > ANCHOR_MS)) anchor = moment;
    if (found) return null;
    const before = offset;
    // Recomputed each time, so that setting the clock after the look shifts no date.
    offset =
      databaseTime === null ? 0 : Math.round(databaseTime + (lastSeen?.database_behind ?? 0) - moment.clock);
    reportOffset(log, before, offset);
    return sharedClock.now();
  };

  return {
    sharedClock,
    readTrustedTime: async () =>
      kept && readMonotonic() - kept.at < KEPT_MS ? compareClocks(kept) : (await askDatabase()).now,
    recordTime: async () => {
      const { now, lastSeen } = await askDatabase();
      if (now === null || now - (lastSeen?.seen_at ?? 0) < RECORDED_MS) return;
      await store.transaction((records) => updateLastSeenTime(records, now, lastSeen?.accepted ?? 0));
    },
    getAlarm: () => alarm,
  };
}

interface ClockComparison {
  readonly moment: ClockAnchor;
  readonly anchor: ClockAnchor | null;
  readonly lastSeen: LastSeenTime | undefined;
  readonly databaseTime: number | null;
}

/** For a program that reads the clock once. */
export function compareWithLastSeen(
  clock: number,
  lastSeen: LastSeenTime | undefined,
  databaseTime: number | null,
): ClockAlarm | null {
  return findSkew({ moment: { clock, monotonic: 0 }, anchor: null, lastSeen, databaseTime });
}

function findSkew({ moment, anchor, lastSeen, databaseTime }: ClockComparison): ClockAlarm | null {
  const { clock } = moment;
  const seen = lastSeen?.seen_at ?? clock;
  // On a full disk no time is recorded, so a clock that was once trusted is extrapolated with the monotonic one.
  const carried = anchor && anchor.clock + moment.monotonic - anchor.monotonic;
  const shown = databaseTime === null ? clock : databaseTime + (lastSeen?.database_behind ?? 0);
  if (Math.abs(clock - shown) > MAX_DIFFERENCE_MS) return { reason: 'database', clock, expected: shown };
  if (carried !== null && Math.abs(clock - carried) > MAX_DIFFERENCE_MS)
    return { reason: 'jumped', clock, expected: carried };
  if (clock < seen - MAX_DIFFERENCE_MS) return { reason: 'behind', clock, expected: seen };
  if (carried === null && clock > seen + MAX_AHEAD_MS) return { reason: 'ahead', clock, expected: seen };
  return null;
}

function reportChange(log: Log, before: ClockAlarm | null, after: ClockAlarm | null): void {
  if (before?.reason === after?.reason) return;
  if (after) {
    const { reason, clock, expected } = after;
    log.event('clock_alarm', { reason, clock: toIsoTime(clock), expected: toIsoTime(expected) });
  } else {
    log.event('clock_trusted');
  }
}

export function isToldOffset(offsetMs: number): boolean {
  return Math.abs(offsetMs) > TOLD_OFFSET_MS;
}

function reportOffset(log: Log, before: number, after: number): void {
  if (!isToldOffset(after) || isToldOffset(before)) return;
  log.event('clock_differs', { seconds: Math.round(-after / 1_000) });
}

const comparisons: Readonly<Record<ClockAlarm['reason'], string>> = {
  ahead: 'the service last saw',
  behind: 'the service had already seen',
  jumped: 'going by the time that has passed, it should be',
  database: "the database's clock shows",
};

/** For the operator. */
export function formatClockAlarm({ reason, clock, expected }: ClockAlarm): string {
  return `this machine shows ${formatMinute(clock)}, but ${comparisons[reason]} ${formatMinute(expected)}`;
}

/** Without seconds, which do not matter here. */
function formatMinute(time: number): string {
  return `${toIsoTime(time).slice(0, 16).replace('T', ' ')} UTC`;
}

export type LastSeenTime = Selectable<Tables['last_seen_time']>;

export async function findLastSeenTime(records: Records): Promise<LastSeenTime | undefined> {
  return await findRow(records, 'last_seen_time', { id: 1 });
}

/** Never lowers it, and does nothing if an operator has accepted a time since `accepted` was read. */
export async function updateLastSeenTime(records: Records, now: number, accepted: number): Promise<void> {
  await records
    .insertInto('last_seen_time')
    .values({ id: 1, seen_at: now, accepted: 0, database_behind: 0 })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ seen_at: now })
        .where('last_seen_time.seen_at', '<', now)
        .where('last_seen_time.accepted', '=', accepted),
    )
    .execute();
}

/** Called once an operator has checked the clock: its time becomes the last seen time, even if that was later. */
export async function acceptClock(
  { transaction, readDatabaseTime }: Pick<Store, 'transaction' | 'readDatabaseTime'>,
  now: number,
): Promise<void> {
  const databaseTime = await readDatabaseTime();
  const times = { seen_at: now, database_behind: databaseTime === null ? 0 : now - databaseTime };
  const row = { id: 1, accepted: 1, ...times } as const;
  const change = { ...times, accepted: sql<number>`last_seen_time.accepted + 1` };
  await transaction((records) => upsertRow(records, 'last_seen_time', 'id', row, change));
}
