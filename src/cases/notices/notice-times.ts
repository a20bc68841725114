/** When there is news of a case, and the four fixed hours of the day at which it is told, so that their time tells nothing. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { Case } from '#store/cases/cases.ts';

/** 00, 06, 12 and 18 UTC. */
const SLOT_MS = 6 * HOUR_MS;
/** For many e-mails, and for some further tries; what is left then waits for the next hour. */
const SENDING_MS = HOUR_MS;

export const FIRST_REMINDER_DAYS = 7;
export const SECOND_REMINDER_HOURS = 72;
/** How long the address is kept after the purge of its case, if the last e-mail cannot be sent. */
export const LAST_NOTICE_DAYS = 3;

/** The time itself if it is one of the four hours. */
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

/** Past and coming ones: whatever the desk wrote, the finding once it is released, and that the purge is near. */
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

/** The hour of the next e-mail; null if there is nothing to tell. */
export function computeNoticeTime(newsTimes: readonly number[], toldAt: number): number | null {
  const untold = newsTimes.filter((time) => time > toldAt);
  return untold.length === 0 ? null : findSlotAfter(Math.min(...untold));
}

/** What is worth a reminder of one's own: when the finding is due, and the first reminder of the deletion. */
export function listLookAgainTimes(
  { state, due_at: dueAt, delivered_at: deliveredAt, purge_at: purgeAt }: NewsSource & Pick<Case, 'due_at'>,
  now: number,
): number[] {
  const due = deliveredAt === null && purgeAt === null ? [dueAt] : [];
  const reminder = purgeAt === null || state === 'withdrawn' ? [] : [purgeAt - FIRST_REMINDER_DAYS * DAY_MS];
  return [...due, ...reminder].filter((time) => time > now);
}
