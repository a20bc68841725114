/** When a case has news, and the four fixed hours at which notices are sent, so that the time reveals nothing. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { Case } from '#store/cases/cases.ts';

/** 00, 06, 12 and 18 UTC. */
const SLOT_MS = 6 * HOUR_MS;
/** Enough for many e-mails and some retries; what is left waits for the next of the four hours. */
const SENDING_MS = HOUR_MS;

export const FIRST_REMINDER_DAYS = 7;
export const SECOND_REMINDER_HOURS = 72;
/** How long the address is kept after the purge of its case, if the last e-mail cannot be sent. */
export const LAST_NOTICE_DAYS = 3;

/** Returns the time itself if it is one of the four hours. */
export function findSlotAfter(time: number): number {
  return Math.ceil(time / SLOT_MS) * SLOT_MS;
}

export function findSlotBefore(time: number): number {
  return Math.floor(time / SLOT_MS) * SLOT_MS;
}

export function isSendingTime(now: number): boolean {
  return now - findSlotBefore(now) < SENDING_MS;
}

type NewsSource = Pick<Case, 'state' | 'delivered_at' | 'purge_at'>;

/** Past and future times: of the desk's last message, the release of the finding, and the reminders of the purge. */
export function listNewsTimes(
  { state, delivered_at: deliveredAt, purge_at: purgeAt }: NewsSource,
  deskWroteAt: number | null,
): number[] {
  // A buyer who withdrew the case knows when it is purged.
  const isReminded = purgeAt !== null && state !== 'withdrawn';
  const reminders = isReminded
    ? [purgeAt - FIRST_REMINDER_DAYS * DAY_MS, purgeAt - SECOND_REMINDER_HOURS * HOUR_MS]
    : [];
  return [deskWroteAt, deliveredAt, ...reminders].filter((time) => time !== null);
}

/** The hour of the next e-mail; null if there is no news. */
export function computeNoticeTime(newsTimes: readonly number[], toldAt: number): number | null {
  const untold = newsTimes.filter((time) => time > toldAt);
  return untold.length === 0 ? null : findSlotAfter(Math.min(...untold));
}

/** Times that buyers may want to be reminded of: when the finding is due, and the first reminder of the deletion. */
export function listLookAgainTimes(
  { state, due_at: dueAt, delivered_at: deliveredAt, purge_at: purgeAt }: NewsSource & Pick<Case, 'due_at'>,
  now: number,
): number[] {
  const due = deliveredAt === null && purgeAt === null ? [dueAt] : [];
  const reminder = purgeAt === null || state === 'withdrawn' ? [] : [purgeAt - FIRST_REMINDER_DAYS * DAY_MS];
  return [...due, ...reminder].filter((time) => time > now);
}
