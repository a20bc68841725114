/** The maintainer's decisions about a client that has its credentials; each takes effect at once. */
import { updateClient } from '#store/clients/clients.ts';
import { deleteEveryAccessToken, deleteManyAccessTokens } from './access-tokens.ts';
import { generateSecretToken, hashSecret } from './clients.ts';
import {
  type ApprovalServices,
  applyDecision,
  createRegistrationStateError,
  offerCredentials,
  type RegistrationWithClient,
  requireRegistrationWithClient,
} from './registration-decision.ts';

/** The client's tokens and secret are refused from the next request on; `approve` reactivates it. */
export async function suspendClient(
  services: ApprovalServices,
  id: string,
  by: string | null,
): Promise<RegistrationWithClient> {
  return await applyDecision(services, id, { by, act: 'suspend_agent' }, async (records, { client }) => {
    if (!client)
      throw createRegistrationStateError('There are no credentials yet; reject the registration instead.');
    await updateClient(records, client.id, { status: 'suspended' });
  });
}

/** Invalidates the secret and the tokens issued with it, and mails an offer of a new secret. Users' grants stay. */
export async function rotateClientSecret(
  services: ApprovalServices,
  id: string,
  by: string | null,
): Promise<RegistrationWithClient> {
  const known = await requireRegistrationWithClient(services.store.records, id);
  if (known.client) await deleteManyAccessTokens(services, known.client);
  return await applyDecision(
    services,
    id,
    { by, act: 'rotate_agent' },
    async (records, { registration, client }) => {
      if (!client) throw createRegistrationStateError('The client has no secret yet.');
      await updateClient(records, client.id, { secret_hash: hashSecret(generateSecretToken()) });
      await deleteEveryAccessToken(records, client.id);
      await offerCredentials(services, records, registration);
    },
  );
}
