/** Registrations: requests of programs to become clients, the decisions, and credentials waiting to be collected. */
import type { Selectable } from 'kysely';
import type { PageRequest } from '#platform/page-cursor.ts';
import { deleteAuditedRows } from '../audit-log.ts';
import { prepareFind, prepareInsert } from '../engine/prepared.ts';
import {
  chooseRows,
  countMatching,
  limitToPage,
  listRows,
  updateBy,
  updateRows,
} from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type Registration = Selectable<Tables['registrations']>;

export const insertRegistration = prepareInsert('registrations');

export async function countPendingRegistrations(records: Records): Promise<number> {
  return await countMatching(records, 'registrations', { status: 'pending' });
}

export const findRegistration = prepareFind('registrations', 'id');

/** Finds a registration by its own id or by its client id. */
export async function findRegistrationByEitherId(
  records: Records,
  id: string,
): Promise<Registration | undefined> {
  return await records
    .selectFrom('registrations')
    .selectAll()
    .where((where) => where.or([where('id', '=', id), where('client_id', '=', id)]))
    .executeTakeFirst();
}

/** Oldest first. */
export async function listRegistrations(
  records: Records,
  status: Registration['status'] | undefined,
  page: PageRequest,
): Promise<Registration[]> {
  let query = records.selectFrom('registrations').selectAll();
  if (status) query = query.where('status', '=', status);
  return await limitToPage(query, { by: 'created_at', direction: 'asc' }, page).execute();
}

export const updateRegistration = updateBy('registrations', 'id');

/** Invalidates every way to collect the credentials; returns undefined if they were already collected. */
export async function markRegistrationCollected(
  records: Records,
  id: string,
): Promise<Registration | undefined> {
  return await records
    .updateTable('registrations')
    .set({ status: 'collected', token_hash: null, offer: null, offer_until: null, forget_at: null })
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .returningAll()
    .executeTakeFirst();
}

/** Oldest first. */
export async function listPendingRegistrationIds(records: Records): Promise<string[]> {
  const pending = await listRows(records, 'registrations', { status: 'pending' }, { by: 'created_at' });
  return pending.map(({ id }) => id);
}

/** Returns false if the registration is no longer pending. */
export async function rejectPendingRegistration(records: Records, id: string): Promise<boolean> {
  return await updateRows(records, 'registrations', { id, status: 'pending' }, { status: 'rejected' });
}

/** Deletes the oldest; returns their number. */
export async function deleteRejectedRegistrations(records: Records, limit: number): Promise<number> {
  const oldest = { by: 'created_at', limit } as const;
  const rejected = chooseRows(records, 'registrations', { status: 'rejected' }, oldest).select('id');
  return await deleteAuditedRows(records, 'registrations', rejected);
}

/** After a restore, the maintainer must approve again: the program's token could still collect the old offer. */
export async function endOffers(records: Records): Promise<number> {
  const { numUpdatedRows } = await records
    .updateTable('registrations')
    .set({ offer: null, offer_until: null, token_hash: null })
    .where('status', '=', 'approved')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
