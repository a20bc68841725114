/** How long cases, refunds that are owed and contact messages are kept. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { cutToDay } from '#platform/text/day.ts';
import type { CaseState } from '#wire/case-states.ts';
import { KEEP_DAYS, REFUND_DAYS } from '#wire/keep-days.ts';

export type KeepDays = (typeof KEEP_DAYS)[number];
export const [DEFAULT_KEEP_DAYS, ...LONGER_KEEP_DAYS] = KEEP_DAYS;

export const DECLINED_DAYS = 7;
/** How many days a case must still be kept after the desk has shortened its retention. */
export const REASON_DAYS = 7;
export const WITHDRAWN_HOURS = 24;
/** Counted from when the desk marked a contact message as handled. */
export const CONTACT_DONE_DAYS = 30;
/** Counted from when a contact message was received. */
export const CONTACT_DAYS = 90;
/** For how many days anyone who enters the words learns that the case was purged. */
export const TOMBSTONE_DAYS = 30;

/** Returns null while the case is open. */
export function computePurgeTime(state: CaseState, endedAt: number, keepDays: number): number | null {
  switch (state) {
    case 'delivered':
      return endedAt + keepDays * DAY_MS;
    case 'declined':
      return endedAt + DECLINED_DAYS * DAY_MS;
    case 'withdrawn':
      return endedAt + WITHDRAWN_HOURS * HOUR_MS;
    case 'received':
    case 'in_progress':
    case 'awaiting_client':
      return null;
  }
}

export function computeContactPurgeTime(receivedAt: number, doneAt: number | null): number {
  const latest = receivedAt + CONTACT_DAYS * DAY_MS;
  return doneAt === null ? latest : Math.min(latest, doneAt + CONTACT_DONE_DAYS * DAY_MS);
}

/** Rounded down to the day, so that it reveals no more about the case than the sealed text does. */
export function computeRefundPurgeTime(declinedAt: number): number {
  return cutToDay(declinedAt + REFUND_DAYS * DAY_MS);
}

/** How many copies of the shred keys a backup folder keeps: a purge is in all of them after this many new ones. */
export const KEPT_KEYS_FILES = 2;
