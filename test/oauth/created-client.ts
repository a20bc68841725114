/** Creates a client without a registration. */
import {
  type ClientCredentials,
  generateSecretToken,
  type NewClient,
  toClientRow,
} from '#clients/clients.ts';
import type { Clock } from '#platform/clock.ts';
import { generateId } from '#platform/text/ids.ts';
import { insertClient } from '#store/clients/clients.ts';
import type { Store } from '#store/store.ts';

export async function createClient(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  client: NewClient,
): Promise<ClientCredentials> {
  const credentials = { clientId: generateId(), clientSecret: generateSecretToken() };
  await store.transaction((records) => insertClient(records, toClientRow(client, credentials, clock.now())));
  return credentials;
}
