/** The maintainer's decisions about a program and its client, each with its audit entry; each takes effect at once. */
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { ServiceError } from '#platform/errors.ts';
import type { GrantType } from '#platform/grant-types.ts';
import { DEFAULT_SCOPES, type Scope } from '#platform/scopes.ts';
import { generateId } from '#platform/text/ids.ts';
import { toIsoTimeOrNull } from '#platform/text/iso-time.ts';
import type { Services } from '#services.ts';
import { type AuditedAct, appendAuditEntry } from '#store/audit-log.ts';
import { type ClientRecord, findClient, updateClient } from '#store/clients/clients.ts';
import {
  findRegistrationByEitherId,
  type Registration,
  rejectPendingRegistration,
  updateRegistration,
} from '#store/clients/registrations.ts';
import { deleteClientAccessTokens } from '#store/clients/tokens.ts';
import { BATCH_ROWS, changeEach, runInBatches } from '#store/engine/batches.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import type { Records } from '#store/schema/tables.ts';
import { findClientFault, generateSecretToken, hashSecret } from './clients.ts';
import { oauthLifetimes } from './lifetimes.ts';
import { findRedirectUriFault, MAX_REDIRECT_URIS } from './redirect-uris.ts';
import { listUsedRedirectUris, parseApprovedAccess } from './registration.ts';
import { CREDENTIAL_OFFER_TOPIC, decryptRegistrationContact } from './registration-mail.ts';

type ApprovalServices = Pick<Services, 'store' | 'clock'>;

/** A registration and its client; null until the credentials are collected. */
export interface RegistrationWithClient {
  readonly registration: Registration;
  readonly client: ClientRecord | null;
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

/** `by` is the owner who decides; null for the command line. */
type ClientDecision = (
  services: ApprovalServices,
  id: string,
  by: string | null,
) => Promise<RegistrationWithClient>;

/** Also writes the audit entry, whose subject is the registration, whichever id was given. */
async function applyDecision(
  { clock, store }: ApprovalServices,
  id: string,
  { by, act }: Pick<AuditedAct, 'by' | 'act'>,
  decide: (records: Records, current: RegistrationWithClient) => Promise<void>,
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

function createStateError(detail: string): ServiceError {
  return new ServiceError('registration_state', { detail });
}

function requireNotRejected({ status }: Registration): void {
  if (status === 'rejected')
    throw createStateError('The registration was rejected; the program has to register again.');
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

/** Runs before the transaction that ends them all: deleting many there would keep other requests waiting. */
async function deleteManyAccessTokens({ store }: ApprovalServices, clientId: string): Promise<void> {
  await runInBatches(store, (records, limit) => deleteClientAccessTokens(records, clientId, limit));
}

/** Runs within the transaction that ends them all. */
async function deleteEveryAccessToken(records: Records, clientId: string): Promise<void> {
  while ((await deleteClientAccessTokens(records, clientId, BATCH_ROWS)) === BATCH_ROWS);
}

export interface ApprovedAccess {
  readonly scopes: readonly Scope[];
  readonly grants: readonly GrantType[];
}

/**
 * New registration: offers credentials. Already approved, or rotated: sends a new link and applies the choice, if there
 * is one. Existing client: applies the choice and ends a suspension.
 */
export async function approveRegistration(
  services: ApprovalServices,
  id: string,
  choice: ApprovedAccess | null,
  by: string | null,
): Promise<RegistrationWithClient> {
  const known = await requireRegistrationWithClient(services.store.records, id);
  if (isAccessChanged(known.client, requireGrantableAccess(known.registration, choice)))
    await deleteManyAccessTokens(services, known.client.id);
  const audited = { by, act: 'approve_agent' } as const;
  return await applyDecision(services, id, audited, async (records, { registration, client }) => {
    const access = requireGrantableAccess(registration, choice);
    await updateRegistration(records, registration.id, access);
    if (client) await updateClientAccess(records, { ...registration, ...access }, client);
    if (registration.status !== 'collected') await offerCredentials(services, records, registration);
  });
}

/** A token keeps the scopes it was issued with. */
function isAccessChanged(
  client: ClientRecord | null,
  { scopes, grants }: Pick<Registration, 'scopes' | 'grants'>,
): client is ClientRecord {
  return client !== null && (client.scopes !== scopes || client.grants !== grants);
}

function requireGrantableAccess(
  registration: Registration,
  choice: ApprovedAccess | null,
): Pick<Registration, 'scopes' | 'grants'> {
  requireNotRejected(registration);
  const { id, status, scopes, grants, redirect_uris } = registration;
  if (!choice && status === 'pending')
    throw createStateError(
      `A new registration needs scopes and grants. To allow what was requested: ${PROGRAM_NAME} agents approve ${id} --scopes "${scopes || DEFAULT_SCOPES.join(' ')}" --grants "${grants || chooseGrants(redirect_uris)}"`,
    );
  const access = choice
    ? { scopes: choice.scopes.join(' '), grants: choice.grants.join(' ') }
    : { scopes, grants };
  const fault = findAccessFault({ ...access, redirect_uris });
  if (fault) throw createStateError(`This cannot be granted: ${fault}.`);
  return access;
}

function findAccessFault(
  registration: Pick<Registration, 'scopes' | 'grants' | 'redirect_uris'>,
): string | null {
  const redirectUris = listUsedRedirectUris(registration);
  return findClientFault({ ...parseApprovedAccess(registration), redirectUris });
}

/** For a program that requests no grants: if it has redirect addresses, it acts for people. */
function chooseGrants(redirectUris: string): string {
  const grants: GrantType[] =
    redirectUris === '[]' ? ['client_credentials'] : ['authorization_code', 'refresh_token'];
  return grants.join(' ');
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

export const rejectRegistration: ClientDecision = (services, id, by) =>
  applyDecision(services, id, { by, act: 'reject_agent' }, async (records, { registration, client }) => {
    if (client) throw createStateError('The client already has its credentials; suspend it instead.');
    const rejected = { status: 'rejected', offer: null, offer_until: null } as const;
    await updateRegistration(records, registration.id, rejected);
  });

/** Skips registrations decided meanwhile; returns the ids of those it rejected. */
export async function rejectPendingRegistrations(
  { clock, store }: ApprovalServices,
  ids: readonly string[],
  by: string | null,
): Promise<string[]> {
  const rejected = await changeEach(store, ids, async (records, id) => {
    if (!(await rejectPendingRegistration(records, id))) return [];
    const subject = { kind: 'agent', id } as const;
    await appendAuditEntry(records, { by, act: 'reject_agent', subject }, clock.now());
    return [id];
  });
  return rejected.flat();
}

/** The client's tokens and secret are refused from the next request on; `approve` reactivates it. */
export const suspendClient: ClientDecision = (services, id, by) =>
  applyDecision(services, id, { by, act: 'suspend_agent' }, async (records, { client }) => {
    if (!client) throw createStateError('There are no credentials yet; reject the registration instead.');
    await updateClient(records, client.id, { status: 'suspended' });
  });

/** Invalidates the secret and the tokens issued with it, and mails an offer of a new secret. Users' grants stay. */
export const rotateClientSecret: ClientDecision = async (services, id, by) => {
  const known = await requireRegistrationWithClient(services.store.records, id);
  if (known.client) await deleteManyAccessTokens(services, known.client.id);
  const audited = { by, act: 'rotate_agent' } as const;
  return await applyDecision(services, id, audited, async (records, { registration, client }) => {
    if (!client) throw createStateError('The client has no secret yet.');
    await updateClient(records, client.id, { secret_hash: hashSecret(generateSecretToken()) });
    await deleteEveryAccessToken(records, client.id);
    await offerCredentials(services, records, registration);
  });
};

interface RedirectChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Tokens and consents stay; `#oauth/engine.ts` and `#oauth/sign-in/routes.ts` refuse the removed addresses. */
export async function updateRedirectUris(
  services: ApprovalServices,
  id: string,
  change: RedirectChange,
  by: string | null,
): Promise<RegistrationWithClient> {
  const audited = { by, act: 'redirect_agent' } as const;
  return await applyDecision(services, id, audited, async (records, { registration, client }) => {
    requireNotRejected(registration);
    const uris = requireChangedRedirectUris(JSON.parse(registration.redirect_uris) as string[], change);
    const moved = { ...registration, redirect_uris: JSON.stringify(uris) };
    // Nothing has been granted to a pending registration yet.
    const fault = moved.status === 'pending' ? null : findAccessFault(moved);
    if (fault) throw createStateError(`This would leave a client that cannot work: ${fault}.`);
    await updateRegistration(records, registration.id, { redirect_uris: moved.redirect_uris });
    if (!client) return;
    await updateClient(records, client.id, { redirect_uris: JSON.stringify(listUsedRedirectUris(moved)) });
  });
}

/** The addresses after the change, checked by the rules of a registration. */
function requireChangedRedirectUris(current: readonly string[], { add, remove }: RedirectChange): string[] {
  const unknown = remove.find((uri) => !current.includes(uri));
  if (unknown !== undefined) throw createChangeError(`${unknown} is not one of its redirect addresses.`);
  for (const uri of add) {
    const fault = findRedirectUriFault(uri);
    if (fault !== null) throw createChangeError(`${uri} cannot be added: ${fault}.`);
  }
  const uris = [...new Set([...current.filter((uri) => !remove.includes(uri)), ...add])];
  if (uris.length > MAX_REDIRECT_URIS)
    throw createChangeError(`A client has at most ${MAX_REDIRECT_URIS} redirect addresses.`);
  return uris;
}

function createChangeError(detail: string): ServiceError {
  return new ServiceError('validation_failed', { detail });
}

/** The state of the client if there is one, else of the registration. */
function toAgentState({ registration, client }: RegistrationWithClient): string {
  if (!client) return registration.status;
  if (client.status === 'suspended') return 'suspended';
  return registration.status === 'approved' ? 'rotating' : 'active';
}

/** Scripts rely on these names and formats, so they must not change. */
export function toAgentJson({ keyring }: Pick<Services, 'keyring'>, agent: RegistrationWithClient) {
  const { registration } = agent;
  return {
    registration_id: registration.id,
    state: toAgentState(agent),
    client_name: registration.name,
    contact: decryptRegistrationContact(keyring, registration),
    identity_type: registration.identity_type,
    credential_types: registration.credentials.split(' '),
    redirect_uris: JSON.parse(registration.redirect_uris) as string[],
    created_at: toIsoTimeOrNull(registration.created_at),
    client_id: registration.client_id,
    ...parseApprovedAccess(registration),
    link_until: toIsoTimeOrNull(registration.offer_until),
  };
}
