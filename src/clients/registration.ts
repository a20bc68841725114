/** How a program becomes a client: it registers, a maintainer decides, and the credentials are handed over once. */

import { MINUTE_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { GrantType } from '#platform/grant-types.ts';
import type { Scope } from '#platform/scopes.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Services } from '#services.ts';
import { insertClient, updateClient } from '#store/clients/clients.ts';
import {
  deleteRejectedRegistrations,
  findRegistration,
  insertRegistration,
  markRegistrationCollected,
  type Registration,
} from '#store/clients/registrations.ts';
import { claimIdempotencyKey, type IdempotentRequest } from '#store/idempotent-request.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import type { Records } from '#store/schema/tables.ts';
import {
  type ClientCredentials,
  generateSecretToken,
  hashSecret,
  matchesSecretHash,
  toClientRow,
} from './clients.ts';
import { oauthLifetimes } from './lifetimes.ts';
import { AGENTS_REGISTERED_TOPIC, deriveOfferToken } from './registration-mail.ts';

/** How many rejected registrations are deleted at once to make room. */
const BATCH = 50;
/** Registrations within this time share one e-mail to the maintainer. */
const MAIL_DELAY_MS = MINUTE_MS;

export interface NewRegistration {
  readonly name: string;
  /** A normalized e-mail address. */
  readonly contact: string;
  readonly identityType: Registration['identity_type'];
  readonly credentials: Registration['credentials'];
  readonly redirectUris: readonly string[];
  /** What the program requests; the maintainer decides. */
  readonly wanted?: { readonly scopes: readonly Scope[]; readonly grants: readonly GrantType[] };
}

type RegistrationServices = Pick<Services, 'store' | 'clock' | 'keyring'>;

/** The token is returned only once, because only its hash is stored; it is null for a repeated request. */
export async function createRegistration(
  { store, clock, keyring }: RegistrationServices,
  registration: NewRegistration,
  request: IdempotentRequest | null = null,
): Promise<{ readonly id: string; readonly token: string | null }> {
  const { name, contact, identityType, credentials, redirectUris } = registration;
  const { scopes, grants } = registration.wanted ?? { scopes: [], grants: [] };
  const now = clock.now();
  const id = generateId();
  const token = generateSecretToken();
  const row: Registration = {
    id,
    name,
    contact_ciphertext: keyring.seal('registration contact', contact, id),
    identity_type: identityType,
    credentials,
    redirect_uris: JSON.stringify(redirectUris),
    status: 'pending',
    token_hash: hashSecret(token),
    scopes: scopes.join(' '),
    grants: grants.join(' '),
    client_id: null,
    offer: null,
    offer_until: null,
    created_at: now,
    forget_at: now + oauthLifetimes.registration * 1_000,
  };
  const earlierId = await store.gate.admit(buildRegistrationAdmission(store, row), () =>
    store.transaction(async (records) => {
      const previousId = request ? await claimIdempotencyKey(records, request, id, now) : null;
      if (previousId !== null) return previousId;
      await insertRegistration(records, row);
      const topic = AGENTS_REGISTERED_TOPIC;
      await enqueueOutboxEntry(records, { topic, dedupe: topic, payload: {}, dueAt: now + MAIL_DELAY_MS });
      return null;
    }),
  );
  return earlierId === null ? { id, token } : { id: earlierId, token: null };
}

function buildRegistrationAdmission(
  store: Services['store'],
  { name, contact_ciphertext, redirect_uris }: Registration,
) {
  return {
    kind: 'registrations',
    bytes: Buffer.byteLength(name + redirect_uris) + contact_ciphertext.length,
    makeRoom: () => store.transaction((records) => deleteRejectedRegistrations(records, BATCH)),
    refusal: () => new ServiceError('registrations_full'),
  } as const;
}

/** A client's credentials and what they allow. */
export interface ProvisionedClient extends ClientCredentials {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly grants: readonly GrantType[];
}

/** Returns the status to the holder of the registration's token; once approved, hands over the credentials. */
export async function pollRegistration(
  services: RegistrationServices,
  id: string,
  token: string,
): Promise<'pending' | 'rejected' | ProvisionedClient> {
  const now = services.clock.now();
  const registration = await findRegistration(services.store.records, id);
  const until = (registration?.created_at ?? 0) + oauthLifetimes.registration * 1_000;
  if (!registration?.token_hash || !matchesSecretHash(token, registration.token_hash) || until <= now)
    throw new ServiceError('invalid_token');
  if (registration.status === 'pending' || registration.status === 'rejected') return registration.status;
  const provisioned = await collectCredentials(services, registration, 'token_hash');
  if (!provisioned) throw new ServiceError('invalid_token');
  return provisioned;
}

/** Returns the name of the program that the one-time link is for. */
export async function requireOfferedClientName(
  services: RegistrationServices,
  link: string,
): Promise<string> {
  return (await requireOffer(services, link)).name;
}

export async function collectOfferedCredentials(
  services: RegistrationServices,
  link: string,
): Promise<ProvisionedClient> {
  const provisioned = await collectCredentials(services, await requireOffer(services, link), 'offer');
  if (!provisioned) throw new ServiceError('link_spent');
  return provisioned;
}

async function requireOffer(
  { store, clock, keyring }: RegistrationServices,
  link: string,
): Promise<Registration> {
  const [id = '', token = ''] = link.split('.');
  const registration = await findRegistration(store.records, id);
  const offer = registration?.offer;
  const isOpen = offer && (registration.offer_until ?? 0) > clock.now();
  if (isOpen && isEqualInConstantTime(token, deriveOfferToken(keyring, offer))) return registration;
  throw new ServiceError('link_spent');
}

/** Creates the secret, which only this response contains; returns null if the credentials were already collected. */
async function collectCredentials(
  { store, clock }: RegistrationServices,
  presented: Registration,
  by: 'token_hash' | 'offer',
): Promise<ProvisionedClient | null> {
  const { id } = presented;
  const clientSecret = generateSecretToken();
  return await store.transaction(async (records) => {
    const current = await findRegistration(records, id);
    // The offer may have been replaced meanwhile: an older link must not collect a newer offer.
    if (current?.[by] !== presented[by]) return null;
    const registration = await markRegistrationCollected(records, id);
    if (!registration?.client_id) return null;
    const credentials = { clientId: registration.client_id, clientSecret };
    await upsertClient(records, registration, credentials, clock.now());
    const { name } = registration;
    return { ...credentials, name, ...parseApprovedAccess(registration) };
  });
}

/** Inserts the client with its first secret; a rotation updates the secret. */
async function upsertClient(
  records: Records,
  registration: Registration,
  credentials: ClientCredentials,
  now: number,
): Promise<void> {
  const secret = { secret_hash: hashSecret(credentials.clientSecret) };
  if (await updateClient(records, credentials.clientId, secret)) return;
  const { name, credentials: tokenTypes } = registration;
  const client = {
    name,
    credentials: tokenTypes,
    ...parseApprovedAccess(registration),
    redirectUris: listUsedRedirectUris(registration),
  };
  await insertClient(records, toClientRow(client, credentials, now));
}

export function parseApprovedAccess({ scopes, grants }: Pick<Registration, 'scopes' | 'grants'>): {
  scopes: Scope[];
  grants: GrantType[];
} {
  const splitNames = (text: string) => (text === '' ? [] : text.split(' '));
  return { scopes: splitNames(scopes) as Scope[], grants: splitNames(grants) as GrantType[] };
}

/** Only the authorization code grant uses redirect URIs. */
export function listUsedRedirectUris({
  grants,
  redirect_uris,
}: Pick<Registration, 'grants' | 'redirect_uris'>): string[] {
  return grants.split(' ').includes('authorization_code') ? (JSON.parse(redirect_uris) as string[]) : [];
}
