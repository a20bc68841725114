/** Clients: the programs that may ask for tokens, and whether they still may. */
import type { Insertable, Selectable } from 'kysely';
import type { Records, Tables } from './tables.ts';

export type Client = Selectable<Tables['clients']>;

export async function insertClient(records: Records, client: Insertable<Tables['clients']>): Promise<void> {
  await records.insertInto('clients').values(client).execute();
}

export async function findActiveClient(records: Records, id: string): Promise<Client | undefined> {
  return await records
    .selectFrom('clients')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'active')
    .executeTakeFirst();
}

/** False if there is no such client. */
export async function setClientStatus(
  records: Records,
  id: string,
  status: Client['status'],
): Promise<boolean> {
  const { numUpdatedRows } = await records
    .updateTable('clients')
    .set({ status })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
