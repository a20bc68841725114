/** What a maintainer decides about a registration, and about the client that came of it; each act works at once. */
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/ids.ts';
import type { Scope } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { type ClientRecord, findClient, updateClient } from '#store/clients.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import { findRegistrationByEitherId, type Registration, updateRegistration } from '#store/registrations.ts';
import type { Records } from '#store/tables.ts';
import { deleteClientAccessTokens } from '#store/tokens.ts';
import { findClientFault, generateSecretToken, hashSecret } from './clients.ts';
import type { GrantType } from './grant-types.ts';
import { oauthLifetimes } from './lifetimes.ts';
import { listUsedRedirectUris, parseApprovedAccess } from './registration.ts';
import { CREDENTIAL_OFFER_TOPIC } from './registration-mail.ts';

type Parts = Pick<Services, 'store' | 'clock'>;

/** A registration and its client, if it has one already. */
export interface RegistrationWithClient {
  readonly registration: Registration;
  readonly client: ClientRecord | null;
}

export interface ApprovedAccess {
  readonly scopes: readonly Scope[];
  readonly grants: readonly GrantType[];
}

export async function requireRegistrationWithClient(
  records: Records,
  id: string,
): Promise<RegistrationWithClient> {
  const registration = await findRegistrationByEitherId(records, id);
  if (!registration) throw new ServiceError('not_found', { detail: 'There is no such registration.' });
  const client = registration.client_id ? await findClient(records, registration.client_id) : undefined;
  return { registration, client: client ?? null };
}

/**
 * Of a new registration: offers it credentials. Of one that was approved before: sends a new link, with a new choice
 * if there is one. Of a client: gives it the choice, and lets it work again if it was suspended.
 */
export async function approveRegistration(
  parts: Parts,
  id: string,
  choice: ApprovedAccess | null,
): Promise<RegistrationWithClient> {
  return await applyDecision(parts, id, async (records, { registration, client }) => {
    const chosen = requireGrantableAccess(registration, choice);
    await updateRegistration(records, registration.id, chosen);
    if (client) return await updateClientAccess(records, { ...registration, ...chosen }, client);
    await offerCredentials(parts, records, registration);
  });
}

function requireGrantableAccess(
  { status, scopes, grants, redirect_uris }: Registration,
  choice: ApprovedAccess | null,
): Pick<Registration, 'scopes' | 'grants'> {
  if (status === 'rejected')
    throw createRegistrationStateError('The registration was rejected; the program has to register again.');
  if (!choice && status === 'pending')
    throw createRegistrationStateError('A new registration needs scopes and grants.');
  const chosen = choice
    ? { scopes: choice.scopes.join(' '), grants: choice.grants.join(' ') }
    : { scopes, grants };
  const redirectUris = listUsedRedirectUris({ ...chosen, redirect_uris });
  const fault = findClientFault({ ...parseApprovedAccess(chosen), redirectUris });
  if (fault) throw createRegistrationStateError(`This cannot be granted: ${fault}.`);
  return chosen;
}

async function updateClientAccess(
  records: Records,
  registration: Registration,
  client: ClientRecord,
): Promise<void> {
  const { scopes, grants } = registration;
  const redirects = JSON.stringify(listUsedRedirectUris(registration));
  await updateClient(records, client.id, { status: 'active', scopes, grants, redirect_uris: redirects });
  // A token remembers the scopes that it was made with.
  if (client.scopes !== scopes || client.grants !== grants)
    await deleteClientAccessTokens(records, client.id);
}

export async function rejectRegistration(parts: Parts, id: string): Promise<RegistrationWithClient> {
  return await applyDecision(parts, id, async (records, { registration, client }) => {
    if (client)
      throw createRegistrationStateError('The client already has its credentials; suspend it instead.');
    await updateRegistration(records, registration.id, {
      status: 'rejected',
      offer: null,
      offer_until: null,
    });
  });
}

/** Its tokens and its secret are refused from the next request on; `approve` lets it work again. */
export async function suspendClient(parts: Parts, id: string): Promise<RegistrationWithClient> {
  return await applyDecision(parts, id, async (records, { client }) => {
    if (!client)
      throw createRegistrationStateError('There are no credentials yet; reject the registration instead.');
    await updateClient(records, client.id, { status: 'suspended' });
  });
}

/** Ends the secret, and what was made with it; a letter offers a new one. What people allowed stays. */
export async function rotateClientSecret(parts: Parts, id: string): Promise<RegistrationWithClient> {
  return await applyDecision(parts, id, async (records, { registration, client }) => {
    if (!client) throw createRegistrationStateError('The client has no secret yet.');
    await updateClient(records, client.id, { secret_hash: hashSecret(generateSecretToken()) });
    await deleteClientAccessTokens(records, client.id);
    await offerCredentials(parts, records, registration);
  });
}

/** An older link ends with a newer one. */
async function offerCredentials(
  { clock }: Parts,
  records: Records,
  { id, client_id, forget_at }: Registration,
): Promise<void> {
  const now = clock.now();
  const made = generateId();
  await updateRegistration(records, id, {
    status: 'approved',
    client_id: client_id ?? generateId(),
    offer: made,
    offer_until: now + oauthLifetimes.offer * 1_000,
    forget_at: forget_at === null ? null : now + oauthLifetimes.registration * 1_000,
  });
  await enqueueOutboxEntry(records, {
    topic: CREDENTIAL_OFFER_TOPIC,
    dedupe: `${CREDENTIAL_OFFER_TOPIC} ${made}`,
    payload: { id, offer: made },
    dueAt: now,
  });
}

type Act = (records: Records, standing: RegistrationWithClient) => Promise<void>;

async function applyDecision({ store }: Parts, id: string, act: Act): Promise<RegistrationWithClient> {
  return await store.transaction(async (records) => {
    const found = await requireRegistrationWithClient(records, id);
    await act(records, found);
    return await requireRegistrationWithClient(records, found.registration.id);
  });
}

function createRegistrationStateError(detail: string): ServiceError {
  return new ServiceError('registration_state', { detail });
}
