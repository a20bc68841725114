/** The maintainer's decisions about a registration and its client; each takes effect at once. */
import { ServiceError } from '#platform/errors.ts';
import type { GrantType } from '#platform/grant-types.ts';
import { generateId } from '#platform/ids.ts';
import type { Scope } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { type AuditedAct, appendAuditEntry } from '#store/audit-log.ts';
import { BATCH_ROWS, runInBatches } from '#store/batches.ts';
import { type ClientRecord, findClient, updateClient } from '#store/clients.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import {
  findRegistrationByEitherId,
  type Registration,
  rejectPendingRegistration,
  updateRegistration,
} from '#store/registrations.ts';
import type { Records } from '#store/tables.ts';
import { deleteClientAccessTokens } from '#store/tokens.ts';
import { findClientFault, generateSecretToken, hashSecret } from './clients.ts';
import { oauthLifetimes } from './lifetimes.ts';
import { listUsedRedirectUris, parseApprovedAccess } from './registration.ts';
import { CREDENTIAL_OFFER_TOPIC } from './registration-mail.ts';

type ApprovalServices = Pick<Services, 'store' | 'clock'>;

/** A registration and its client; null until the credentials are collected. */
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
 * New registration: offers credentials. Already approved: sends a new link and applies the choice, if there is one.
 * Existing client: applies the choice and ends a suspension.
 */
export async function approveRegistration(
  services: ApprovalServices,
  id: string,
  choice: ApprovedAccess | null,
  by: string | null,
): Promise<RegistrationWithClient> {
  const known = await requireRegistrationWithClient(services.store.records, id);
  if (isAccessChanged(known.client, requireGrantableAccess(known.registration, choice)))
    await deleteManyAccessTokens(services, known.client);
  return await applyDecision(
    services,
    id,
    { by, act: 'approve_agent' },
    async (records, { registration, client }) => {
      const access = requireGrantableAccess(registration, choice);
      await updateRegistration(records, registration.id, access);
      if (client) return await updateClientAccess(records, { ...registration, ...access }, client);
      await offerCredentials(services, records, registration);
    },
  );
}

/** A token keeps the scopes it was issued with. */
function isAccessChanged(
  client: ClientRecord | null,
  { scopes, grants }: Pick<Registration, 'scopes' | 'grants'>,
): client is ClientRecord {
  return client !== null && (client.scopes !== scopes || client.grants !== grants);
}

/**
 * Before the transaction that ends them all, so that it finds only those that were issued since: one that deletes many
 * would keep everybody waiting. If that transaction fails, the client asks for new ones.
 */
async function deleteManyAccessTokens(
  { store }: ApprovalServices,
  { id }: Pick<ClientRecord, 'id'>,
): Promise<void> {
  await runInBatches(store, (records, limit) => deleteClientAccessTokens(records, id, limit));
}

/** Within that transaction. */
async function deleteEveryAccessToken(records: Records, clientId: string): Promise<void> {
  while ((await deleteClientAccessTokens(records, clientId, BATCH_ROWS)) === BATCH_ROWS);
}

function requireGrantableAccess(
  { status, scopes, grants, redirect_uris }: Registration,
  choice: ApprovedAccess | null,
): Pick<Registration, 'scopes' | 'grants'> {
  if (status === 'rejected')
    throw createRegistrationStateError('The registration was rejected; the program has to register again.');
  if (!choice && status === 'pending')
    throw createRegistrationStateError('A new registration needs scopes and grants.');
  const access = choice
    ? { scopes: choice.scopes.join(' '), grants: choice.grants.join(' ') }
    : { scopes, grants };
  const redirectUris = listUsedRedirectUris({ ...access, redirect_uris });
  const fault = findClientFault({ ...parseApprovedAccess(access), redirectUris });
  if (fault) throw createRegistrationStateError(`This cannot be granted: ${fault}.`);
  return access;
}

async function updateClientAccess(
  records: Records,
  registration: Registration,
  client: ClientRecord,
): Promise<void> {
  const { scopes, grants } = registration;
  const redirects = JSON.stringify(listUsedRedirectUris(registration));
  await updateClient(records, client.id, { status: 'active', scopes, grants, redirect_uris: redirects });
  if (isAccessChanged(client, registration)) await deleteEveryAccessToken(records, client.id);
}

export async function rejectRegistration(
  services: ApprovalServices,
  id: string,
  by: string | null,
): Promise<RegistrationWithClient> {
  return await applyDecision(
    services,
    id,
    { by, act: 'reject_agent' },
    async (records, { registration, client }) => {
      if (client)
        throw createRegistrationStateError('The client already has its credentials; suspend it instead.');
      await updateRegistration(records, registration.id, {
        status: 'rejected',
        offer: null,
        offer_until: null,
      });
    },
  );
}

/** Leaves what was decided meanwhile; returns the ids of the rejected registrations. */
export async function rejectPendingRegistrations(
  { clock, store }: ApprovalServices,
  ids: readonly string[],
  by: string | null,
): Promise<string[]> {
  const rejected: string[] = [];
  // In small transactions, since the service waits meanwhile.
  for (let start = 0; start < ids.length; start += BATCH_ROWS)
    rejected.push(
      ...(await store.transaction(async (records) => {
        const done: string[] = [];
        for (const id of ids.slice(start, start + BATCH_ROWS)) {
          if (!(await rejectPendingRegistration(records, id))) continue;
          await appendAuditEntry(
            records,
            { by, act: 'reject_agent', subject: { kind: 'agent', id } },
            clock.now(),
          );
          done.push(id);
        }
        return done;
      })),
    );
  return rejected;
}

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

/** A new offer invalidates the earlier link. */
async function offerCredentials(
  { clock }: ApprovalServices,
  records: Records,
  { id, client_id, forget_at }: Registration,
): Promise<void> {
  const now = clock.now();
  const offer = generateId();
  await updateRegistration(records, id, {
    status: 'approved',
    client_id: client_id ?? generateId(),
    offer,
    offer_until: now + oauthLifetimes.offer * 1_000,
    forget_at: forget_at === null ? null : now + oauthLifetimes.registration * 1_000,
  });
  await enqueueOutboxEntry(records, {
    topic: CREDENTIAL_OFFER_TOPIC,
    dedupe: `${CREDENTIAL_OFFER_TOPIC} ${offer}`,
    payload: { id, offer },
    dueAt: now,
  });
}

type Decision = (records: Records, current: RegistrationWithClient) => Promise<void>;

/** With its entry in the audit log, whose subject is the registration, whichever id was given. */
export async function applyDecision(
  { clock, store }: ApprovalServices,
  id: string,
  { by, act }: Pick<AuditedAct, 'by' | 'act'>,
  decide: Decision,
): Promise<RegistrationWithClient> {
  return await store.transaction(async (records) => {
    const current = await requireRegistrationWithClient(records, id);
    await decide(records, current);
    const { id: registrationId } = current.registration;
    const subject = { kind: 'agent', id: registrationId } as const;
    await appendAuditEntry(records, { by, act, subject }, clock.now());
    return await requireRegistrationWithClient(records, registrationId);
  });
}

export function createRegistrationStateError(detail: string): ServiceError {
  return new ServiceError('registration_state', { detail });
}
