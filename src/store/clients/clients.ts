/** Clients: the programs that may request tokens. */
import type { Insertable, Selectable } from 'kysely';
import { prepareFind, prepareInsert, prepareQuery } from '../engine/prepared.ts';
import { updateRows, upsertRow } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type ClientRecord = Selectable<Tables['clients']>;

export const insertClient = prepareInsert('clients');

/** For an existing client, only the time changes. */
export async function upsertClient(records: Records, client: Insertable<Tables['clients']>): Promise<void> {
  await upsertRow(records, 'clients', 'id', client, { created_at: client.created_at });
}

const findActive = prepareQuery<Pick<ClientRecord, 'id'>, ClientRecord>((records, { id }) =>
  records.selectFrom('clients').selectAll().where('id', '=', id).where('status', '=', 'active'),
);

export async function findActiveClient(records: Records, id: string): Promise<ClientRecord | undefined> {
  const [client] = await findActive(records, { id });
  return client;
}

export const findClient = prepareFind('clients', 'id');

/** Returns false if there is no such client. */
export async function updateClient(
  records: Records,
  id: string,
  change: Partial<Pick<ClientRecord, 'secret_hash' | 'status' | 'scopes' | 'grants' | 'redirect_uris'>>,
): Promise<boolean> {
  return await updateRows(records, 'clients', { id }, change);
}
