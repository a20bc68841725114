/** Addresses for notices, each in a row that its case names, with the hour at which the next e-mail is due. */
import type { Selectable } from 'kysely';
import type { SealedKind } from '#seal/core/header.ts';
import { prepareFind } from '../engine/prepared.ts';
import { claimDueRows, deleteBy, updateBy, updateRows, upsertRow } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type Notice = Selectable<Tables['notices']>;

/** An existing row keeps its times: only the address changes. */
export async function upsertNotice(
  records: Records,
  { id, address_ciphertext, told_at }: Pick<Notice, 'id' | 'address_ciphertext' | 'told_at'>,
): Promise<void> {
  const row = { id, address_ciphertext, told_at, due_at: null, ends_at: null };
  await upsertRow(records, 'notices', 'id', row, { address_ciphertext });
}

export const findNotice = prepareFind('notices', 'id');

export const updateNotice = updateBy('notices', 'id');
export const deleteNotice = deleteBy('notices', 'id');

/** Claims the notices whose e-mail is due: events up to `toldAt` count as reported. */
export async function claimDueNotices(
  records: Records,
  { now, toldAt, limit }: { readonly now: number; readonly toldAt: number; readonly limit: number },
): Promise<Pick<Notice, 'id'>[]> {
  const change = { due_at: null, told_at: toldAt };
  return await claimDueRows(records, 'notices', { by: 'due_at', now, limit }, change);
}

export const findCaseByNotice = prepareFind('cases', 'notice_id');

/**
 * When the desk wrote its last message; null if there is none. Ordered by number, because an earlier message may have a
 * later time from a fast clock. A decline on hold, whose time is in the future, is the last message.
 */
export async function findLastDeskMessageTime(
  records: Records,
  caseId: string,
  until = Number.MAX_SAFE_INTEGER,
): Promise<number | null> {
  const last = await records
    .selectFrom('objects')
    .select('kept_at')
    .where('case_id', '=', caseId)
    .where('kind', '=', 'desk-message.v1' satisfies SealedKind)
    .where('kept_at', '<=', until)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.kept_at ?? null;
}

/** Deletes the notice and the reference to it in its case. */
export async function forgetNotice(records: Records, id: string): Promise<void> {
  await deleteNotice(records, id);
  await updateRows(records, 'cases', { notice_id: id }, { notice_id: null });
}

/** After a restore: the backup has no addresses. */
export async function clearNoticeIds(records: Records): Promise<void> {
  await updateRows(records, 'cases', { notice_id: ['is not', null] }, { notice_id: null });
}
