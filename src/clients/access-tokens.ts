/** Ends the access tokens of a client, of which there may be many. */
import type { Services } from '#services.ts';
import type { ClientRecord } from '#store/clients/clients.ts';
import { deleteClientAccessTokens } from '#store/clients/tokens.ts';
import { BATCH_ROWS, runInBatches } from '#store/engine/batches.ts';
import type { Records } from '#store/schema/tables.ts';

/** Runs before the transaction that ends them all: deleting many there would keep other requests waiting. */
export async function deleteManyAccessTokens(
  { store }: Pick<Services, 'store'>,
  { id }: Pick<ClientRecord, 'id'>,
): Promise<void> {
  await runInBatches(store, (records, limit) => deleteClientAccessTokens(records, id, limit));
}

/** Runs within the transaction that ends them all. */
export async function deleteEveryAccessToken(records: Records, clientId: string): Promise<void> {
  while ((await deleteClientAccessTokens(records, clientId, BATCH_ROWS)) === BATCH_ROWS);
}
