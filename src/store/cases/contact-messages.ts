/** Contact messages, sealed to the desk. */
import type { Insertable, Selectable } from 'kysely';
import type { PageRequest } from '#platform/page-cursor.ts';
import { deleteAuditedRows } from '../audit-log.ts';
import { padForErasure, stripErasurePadding } from '../engine/overflow-bytes.ts';
import { prepareFind, prepareInsert } from '../engine/prepared.ts';
import { chooseRows, limitToPage, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type ContactMessageRecord = Selectable<Tables['contact_messages']>;

const insertRow = prepareInsert('contact_messages');
const findRow = prepareFind('contact_messages', 'id');

export async function insertContactMessage(
  records: Records,
  row: Insertable<Tables['contact_messages']>,
): Promise<void> {
  await insertRow(records, { ...row, sealed: padForErasure(row.sealed) });
}

export async function findContactMessage(
  records: Records,
  id: string,
): Promise<ContactMessageRecord | undefined> {
  const row = await findRow(records, id);
  return row && { ...row, sealed: stripErasurePadding(row.sealed) };
}

/** Messages that the desk has not closed yet, oldest first. */
export async function listOpenContactMessages(
  records: Records,
  page: PageRequest,
): Promise<ContactMessageRecord[]> {
  const query = records.selectFrom('contact_messages').selectAll().where('done_at', 'is', null);
  const rows = await limitToPage(query, { by: 'received_at', direction: 'asc' }, page).execute();
  return rows.map((row) => ({ ...row, sealed: stripErasurePadding(row.sealed) }));
}

/** Returns false if there is no such message or it is already closed. */
export async function closeContactMessage(
  records: Records,
  id: string,
  times: { readonly doneAt: number; readonly purgeAt: number },
): Promise<boolean> {
  const change = { done_at: times.doneAt, purge_at: times.purgeAt };
  return await updateRows(records, 'contact_messages', { id, done_at: null }, change);
}

export async function hasHandledContactMessages(records: Records): Promise<boolean> {
  const handled = chooseRows(records, 'contact_messages', { done_at: ['is not', null] }, { limit: 1 });
  return (await handled.select('id').executeTakeFirst()) !== undefined;
}

/** Deletes the messages that were handled longest ago; returns their number. */
export async function deleteHandledContactMessages(records: Records, limit: number): Promise<number> {
  const oldest = { by: 'done_at', limit } as const;
  const handled = chooseRows(records, 'contact_messages', { done_at: ['is not', null] }, oldest);
  return await deleteAuditedRows(records, 'contact_messages', handled.select('id'));
}
