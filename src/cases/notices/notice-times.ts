/**
 * When a case has news, and which of the four fixed hours its next notice is sent at, so that the time reveals nothing;
 * updated when the case changes, until it is purged.
 */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { Case } from '#store/cases/cases.ts';
import {
  deleteNotice,
  findLastDeskMessageTime,
  findNotice,
  type Notice,
  updateNotice,
} from '#store/cases/notices.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import type { Records } from '#store/schema/tables.ts';

export const NOTICE_TOPIC = 'notice';
/** 00, 06, 12 and 18 UTC. */
const SLOT_MS = 6 * HOUR_MS;
/** Enough for many e-mails and some retries; what is left waits for the next of the four hours. */
const SENDING_MS = HOUR_MS;

export const FIRST_REMINDER_DAYS = 7;
export const SECOND_REMINDER_HOURS = 72;
/** How long the address is kept after the purge of its case, if the last e-mail cannot be sent. */
export const LAST_NOTICE_DAYS = 3;

/** Returns the time itself if it is one of the four hours. */
function findSlotAfter(time: number): number {
  return Math.ceil(time / SLOT_MS) * SLOT_MS;
}

export function findSlotBefore(time: number): number {
  return Math.floor(time / SLOT_MS) * SLOT_MS;
}

export function isSendingTime(now: number): boolean {
  return now - findSlotBefore(now) < SENDING_MS;
}

/** Past and future times: of the desk's last message, the release of the finding, and the reminders of the purge. */
function listNewsTimes(
  { state, delivered_at: deliveredAt, purge_at: purgeAt }: Case,
  deskWroteAt: number | null,
): number[] {
  // A buyer who withdrew the case knows when it is purged.
  const isReminded = purgeAt !== null && state !== 'withdrawn';
  const reminders = isReminded
    ? [purgeAt - FIRST_REMINDER_DAYS * DAY_MS, purgeAt - SECOND_REMINDER_HOURS * HOUR_MS]
    : [];
  return [deskWroteAt, deliveredAt, ...reminders].filter((time) => time !== null);
}

/** Times that buyers may want to be reminded of: when the finding is due, and the first reminder of the deletion. */
export function listLookAgainTimes(
  { state, due_at: dueAt, delivered_at: deliveredAt, purge_at: purgeAt }: Case,
  now: number,
): number[] {
  const due = deliveredAt === null && purgeAt === null ? [dueAt] : [];
  const reminder = purgeAt === null || state === 'withdrawn' ? [] : [purgeAt - FIRST_REMINDER_DAYS * DAY_MS];
  return [...due, ...reminder].filter((time) => time > now);
}

/** The payload of an outbox entry: which row has the address, and whether its case has been purged. */
export interface NoticePayload {
  readonly notice: string;
  readonly last: boolean;
}

/** Called in the transaction of every change that may be news, or may take it back. */
export async function updateNoticeTime(records: Records, record: Case): Promise<void> {
  const notice = await findCaseNotice(records, record);
  if (!notice) return;
  // After news with a time from a fast clock, this change would count as reported: better twice than never.
  const toldAt = notice.told_at > record.changed_at ? record.changed_at - 1 : notice.told_at;
  await updateDueTime(records, record, { ...notice, told_at: toldAt });
}

/** For a case that has not changed: news up to `told_at` was sent, or is older than the address. */
export async function planNextNotice(records: Records, record: Case): Promise<void> {
  const notice = await findCaseNotice(records, record);
  if (notice) await updateDueTime(records, record, notice);
}

async function findCaseNotice(
  records: Records,
  { notice_id: id }: Pick<Case, 'notice_id'>,
): Promise<Notice | undefined> {
  return id === null ? undefined : await findNotice(records, id);
}

async function updateDueTime(
  records: Records,
  record: Case,
  { id, told_at: toldAt }: Pick<Notice, 'id' | 'told_at'>,
): Promise<void> {
  const newsTimes = listNewsTimes(record, await findLastDeskMessageTime(records, record.id));
  const untold = newsTimes.filter((time) => time > toldAt);
  const dueAt = untold.length === 0 ? null : findSlotAfter(Math.min(...untold));
  await updateNotice(records, id, { told_at: toldAt, due_at: dueAt });
}

/** Deletes the address at once; nothing more is sent. */
export async function discardNotice(records: Records, { notice_id: id }: Case): Promise<void> {
  if (id !== null) await deleteNotice(records, id);
}

/** Called in the last transaction of a purge: the e-mail about it is the last, and the address is deleted with it. */
export async function enqueueLastNotice(
  records: Records,
  { notice_id: id }: Case,
  now: number,
): Promise<void> {
  if (id === null) return;
  const endsAt = findSlotBefore(now) + LAST_NOTICE_DAYS * DAY_MS;
  if (!(await updateNotice(records, id, { due_at: null, ends_at: endsAt }))) return;
  await enqueueNotice(records, { notice: id, last: true }, findSlotAfter(now));
}

/** Adds nothing if the same notice is still waiting. */
export async function enqueueNotice(records: Records, payload: NoticePayload, dueAt: number): Promise<void> {
  const dedupe = `${payload.last ? 'last ' : ''}${NOTICE_TOPIC} ${payload.notice}`;
  await enqueueOutboxEntry(records, { topic: NOTICE_TOPIC, dedupe, payload, dueAt });
}
