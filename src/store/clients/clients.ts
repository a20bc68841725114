/** Clients: the programs that may request tokens. */
import type { Insertable, Selectable } from 'kysely';
import { prepareFind, prepareInsert } from '../engine/prepared.ts';
import { updateBy, upsertRow } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type ClientRecord = Selectable<Tables['clients']>;

export const insertClient = prepareInsert('clients');

/** For an existing client, only the time changes. */
export async function upsertClient(records: Records, client: Insertable<Tables['clients']>): Promise<void> {
  await upsertRow(records, 'clients', 'id', client, { created_at: client.created_at });
}

export const findClient = prepareFind('clients', 'id');

export async function findActiveClient(records: Records, id: string): Promise<ClientRecord | undefined> {
  const client = await findClient(records, id);
  return client?.status === 'active' ? client : undefined;
}

/** Returns false if there is no such client. */
export const updateClient = updateBy('clients', 'id');
