/** The maintainer's decision about a registration: what the program may do, or that it is rejected. */
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import type { GrantType } from '#platform/grant-types.ts';
import { DEFAULT_SCOPES, type Scope } from '#platform/scopes.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import { type ClientRecord, updateClient } from '#store/clients/clients.ts';
import {
  type Registration,
  rejectPendingRegistration,
  updateRegistration,
} from '#store/clients/registrations.ts';
import { BATCH_ROWS } from '#store/engine/batches.ts';
import type { Records } from '#store/schema/tables.ts';
import { deleteEveryAccessToken, deleteManyAccessTokens } from './access-tokens.ts';
import { findClientFault } from './clients.ts';
import { listUsedRedirectUris, parseApprovedAccess } from './registration.ts';
import {
  type ApprovalServices,
  applyDecision,
  createRegistrationStateError,
  offerCredentials,
  type RegistrationWithClient,
  requireRegistrationWithClient,
} from './registration-decision.ts';

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
    await deleteManyAccessTokens(services, known.client);
  return await applyDecision(
    services,
    id,
    { by, act: 'approve_agent' },
    async (records, { registration, client }) => {
      const access = requireGrantableAccess(registration, choice);
      await updateRegistration(records, registration.id, access);
      if (client) await updateClientAccess(records, { ...registration, ...access }, client);
      if (registration.status !== 'collected') await offerCredentials(services, records, registration);
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

function requireGrantableAccess(
  { id, status, scopes, grants, redirect_uris }: Registration,
  choice: ApprovedAccess | null,
): Pick<Registration, 'scopes' | 'grants'> {
  if (status === 'rejected')
    throw createRegistrationStateError('The registration was rejected; the program has to register again.');
  if (!choice && status === 'pending')
    throw createRegistrationStateError(
      `A new registration needs scopes and grants. To allow what was requested: ${PROGRAM_NAME} agents approve ${id} --scopes "${scopes || DEFAULT_SCOPES.join(' ')}" --grants "${grants || chooseGrants(redirect_uris)}"`,
    );
  const access = choice
    ? { scopes: choice.scopes.join(' '), grants: choice.grants.join(' ') }
    : { scopes, grants };
  const redirectUris = listUsedRedirectUris({ ...access, redirect_uris });
  const fault = findClientFault({ ...parseApprovedAccess(access), redirectUris });
  if (fault) throw createRegistrationStateError(`This cannot be granted: ${fault}.`);
  return access;
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

/** Skips registrations decided meanwhile; returns the ids of those it rejected. */
export async function rejectPendingRegistrations(
  { clock, store }: ApprovalServices,
  ids: readonly string[],
  by: string | null,
): Promise<string[]> {
  const rejected: string[] = [];
  // In small transactions, because the service waits while one runs.
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
