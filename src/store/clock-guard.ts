/** Decides whether the clock can be believed, because what is deleted by date cannot be brought back. */
import type { Clock } from '#platform/clock.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { Log } from '#platform/log.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { findLastSeenTime, type LastSeenTime, updateLastSeenTime } from './last-seen-time.ts';
import type { Store } from './store.ts';

/** The service was off for longer, or the clock is wrong: only a person can tell. */
const MAX_AHEAD_MS = DAY_MS;
const MAX_DIFFERENCE_MS = HOUR_MS;
/** More from the database's clock is told, though it decides nothing: whose clock is kept by time servers differs by less. */
const TOLD_OFFSET_MS = 5_000;
/** So that small corrections and short sleeps of the machine do not add up over months. */
const ANCHOR_MS = DAY_MS;

/** Against the last seen time, the monotonic clock or the database's. */
type SkewReason = 'ahead' | 'behind' | 'jumped' | 'database';

export interface ClockAlarm {
  readonly reason: SkewReason;
  /** What the clock showed. */
  readonly clock: number;
  /** What it was compared with. */
  readonly expected: number;
}

export interface ClockGuard {
  /**
   * The time of the database as of the last look, which all instances share: whether a finding is released or a case is
   * past its date must not depend on who is asked. That of this machine on SQLite, and until a look without skew.
   */
  readonly sharedClock: Clock;
  /** By that clock. Null while this machine has clock skew: then nothing may be deleted by date. */
  readonly readTrustedTime: () => Promise<number | null>;
  /** Records the last seen time, unless there is clock skew. */
  readonly recordTime: () => Promise<void>;
  /** As of the last look at the clock. */
  readonly getAlarm: () => ClockAlarm | null;
}

interface ClockGuardOptions {
  readonly clock: Clock;
  readonly store: Pick<Store, 'records' | 'transaction' | 'readDatabaseTime'>;
  readonly log: Log;
  /** Milliseconds that no change of the clock moves. */
  readonly readMonotonic?: () => number;
}

/** A moment at which the clock was believed. */
interface ClockAnchor {
  readonly clock: number;
  readonly monotonic: number;
}

export function createClockGuard(options: ClockGuardOptions): ClockGuard {
  const { clock, store, log, readMonotonic = () => performance.now() } = options;
  let alarm: ClockAlarm | null = null;
  let anchor: ClockAnchor | null = null;
  let accepted = 0;
  let offset = 0;
  const sharedClock = { now: () => clock.now() + offset };

  const look = async () => {
    const asked = clock.now();
    const databaseTime = await store.readDatabaseTime();
    const answered = clock.now();
    const lastSeen = await findLastSeenTime(store.records);
    const moment = { clock: clock.now(), monotonic: readMonotonic() };
    // What was believed before no longer counts.
    if (lastSeen && lastSeen.accepted !== accepted) anchor = null;
    accepted = lastSeen?.accepted ?? 0;
    const found = findSkew({ moment, anchor, lastSeen, databaseTime });
    reportChange(log, alarm, found);
    alarm = found;
    if (!found) {
      const before = offset;
      const shown = databaseTime === null ? null : databaseTime + (lastSeen?.database_behind ?? 0);
      offset = shown === null ? 0 : Math.round(shown - (asked + answered) / 2);
      reportOffset(log, before, offset);
    }
    if (!found && (!anchor || moment.monotonic - anchor.monotonic > ANCHOR_MS)) anchor = moment;
    return { now: found ? null : sharedClock.now(), accepted };
  };

  return {
    sharedClock,
    readTrustedTime: async () => (await look()).now,
    recordTime: async () => {
      const { now, accepted: seen } = await look();
      if (now !== null) await store.transaction((records) => updateLastSeenTime(records, now, seen));
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

/** For a program that sees the clock once. */
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
  // On a full disk no time is recorded: once believed, the clock is carried by the monotonic one.
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
