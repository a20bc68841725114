/** Updates the hour of a case's next notice when the case changes, and ends its notices when it is purged. */
import { DAY_MS } from '#platform/durations.ts';
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
import {
  computeNoticeTime,
  findSlotAfter,
  findSlotBefore,
  LAST_NOTICE_DAYS,
  listNewsTimes,
} from './notice-times.ts';

export const NOTICE_TOPIC = 'notice';

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
  await updateNotice(records, id, { told_at: toldAt, due_at: computeNoticeTime(newsTimes, toldAt) });
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
