/** How a program becomes a client: it asks, a maintainer decides, and the credentials are handed over once. */
import { isEqualInConstantTime } from '#platform/constant-time.ts';
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/ids.ts';
import type { Scope } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { insertClient, updateClient } from '#store/clients.ts';
import { claimIdempotencyKey, type IdempotentRequest } from '#store/idempotent-request.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import {
  countPendingRegistrations,
  deleteExpiredRegistrations,
  findRegistration,
  insertRegistration,
  markRegistrationCollected,
  type Registration,
} from '#store/registrations.ts';
import type { Records } from '#store/tables.ts';
import {
  type ClientCredentials,
  generateSecretToken,
  hashSecret,
  matchesSecretHash,
  toClientRow,
} from './clients.ts';
import type { GrantType } from './grant-types.ts';
import { oauthLifetimes } from './lifetimes.ts';
import { AGENTS_REGISTERED_TOPIC, deriveOfferToken } from './registration-mail.ts';

/** As many as a person can look at; whoever floods the queue closes it for a while, and fills nothing else. */
export const MAX_PENDING_REGISTRATIONS = 1_000;
/** Several registrations in a row are one letter to the maintainer. */
const GATHER_MS = 60_000;

export interface NewRegistration {
  readonly name: string;
  /** A normal address. */
  readonly contact: string;
  readonly identityType: Registration['identity_type'];
  readonly credentials: Registration['credentials'];
  readonly redirectUris: readonly string[];
}

export interface CreatedRegistration {
  readonly id: string;
  /** Shown once, since only its hash is kept; null where the same request came before. */
  readonly token: string | null;
}

type Parts = Pick<Services, 'store' | 'clock' | 'keyring'>;

export async function createRegistration(
  { store, clock, keyring }: Parts,
  { name, contact, identityType, credentials, redirectUris }: NewRegistration,
  repeat: IdempotentRequest | null = null,
): Promise<CreatedRegistration> {
  const now = clock.now();
  const id = generateId();
  const token = generateSecretToken();
  const row: Registration = {
    id,
    name,
    contact_box: keyring.seal('registration contact', contact, id),
    identity_type: identityType,
    credentials,
    redirect_uris: JSON.stringify(redirectUris),
    status: 'pending',
    token_hash: hashSecret(token),
    scopes: '',
    grants: '',
    client_id: null,
    offer: null,
    offer_until: null,
    created_at: now,
    forget_at: now + oauthLifetimes.registration * 1_000,
  };
  const before = await store.transaction(async (records) => {
    const made = repeat ? await claimIdempotencyKey(records, repeat, id, now) : null;
    if (made !== null) return made;
    if ((await countPendingRegistrations(records)) >= MAX_PENDING_REGISTRATIONS)
      throw new ServiceError('registrations_full');
    await insertRegistration(records, row);
    await enqueueOutboxEntry(records, {
      topic: AGENTS_REGISTERED_TOPIC,
      dedupe: AGENTS_REGISTERED_TOPIC,
      payload: {},
      dueAt: now + GATHER_MS,
    });
    return null;
  });
  return before === null ? { id, token } : { id: before, token: null };
}

/** What a client is given, and may do with it. */
export interface ProvisionedClient extends ClientCredentials {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly grants: readonly GrantType[];
}

/** How a registration stands for whoever holds its token; once it is approved, this hands the credentials over. */
export async function pollRegistration(
  parts: Parts,
  id: string,
  token: string,
): Promise<'pending' | 'rejected' | ProvisionedClient> {
  const now = parts.clock.now();
  const found = await findRegistration(parts.store.records, id);
  const until = (found?.created_at ?? 0) + oauthLifetimes.registration * 1_000;
  if (!found?.token_hash || !matchesSecretHash(token, found.token_hash) || until <= now)
    throw new ServiceError('invalid_token');
  if (found.status === 'pending' || found.status === 'rejected') return found.status;
  const provisioned = await collectCredentials(parts, found, 'token_hash');
  if (!provisioned) throw new ServiceError('invalid_token');
  return provisioned;
}

/** The name of the program that a one-time link is for. */
export async function requireOfferedClientName(parts: Parts, link: string): Promise<string> {
  return (await requireOffer(parts, link)).name;
}

export async function acceptOffer(parts: Parts, link: string): Promise<ProvisionedClient> {
  const provisioned = await collectCredentials(parts, await requireOffer(parts, link), 'offer');
  if (!provisioned) throw new ServiceError('link_spent');
  return provisioned;
}

async function requireOffer({ store, clock, keyring }: Parts, link: string): Promise<Registration> {
  const [id = '', token = ''] = link.split('.');
  const found = await findRegistration(store.records, id);
  const now = clock.now();
  if (
    found?.offer &&
    (found.offer_until ?? 0) > now &&
    isEqualInConstantTime(token, deriveOfferToken(keyring, found.offer))
  )
    return found;
  throw new ServiceError('link_spent');
}

/** Null if another way was quicker: the secret exists from here on, and in one answer alone. */
async function collectCredentials(
  { store, clock }: Parts,
  shown: Registration,
  by: 'token_hash' | 'offer',
): Promise<ProvisionedClient | null> {
  const { id } = shown;
  const clientSecret = generateSecretToken();
  return await store.transaction(async (records) => {
    const current = await findRegistration(records, id);
    // What entitles to them may have been replaced meanwhile: an older link opens no newer offer.
    if (current?.[by] !== shown[by]) return null;
    const found = await markRegistrationCollected(records, id);
    if (!found?.client_id) return null;
    const credentials = { clientId: found.client_id, clientSecret };
    await upsertClient(records, found, credentials, clock.now());
    const { name } = found;
    return { ...credentials, name, ...parseApprovedAccess(found) };
  });
}

/** Made with its first secret; a rotation finds it there. */
async function upsertClient(
  records: Records,
  found: Registration,
  credentials: ClientCredentials,
  now: number,
): Promise<void> {
  const secret = { secret_hash: hashSecret(credentials.clientSecret) };
  if (await updateClient(records, credentials.clientId, secret)) return;
  const { name, credentials: kinds } = found;
  const client = {
    name,
    credentials: kinds,
    ...parseApprovedAccess(found),
    redirectUris: listUsedRedirectUris(found),
  };
  await insertClient(records, toClientRow(client, credentials, now));
}

/** What the maintainer chose. */
export function parseApprovedAccess({ scopes, grants }: Pick<Registration, 'scopes' | 'grants'>): {
  scopes: Scope[];
  grants: GrantType[];
} {
  const splitNames = (text: string) => (text === '' ? [] : text.split(' '));
  return { scopes: splitNames(scopes) as Scope[], grants: splitNames(grants) as GrantType[] };
}

/** Only an authorization comes back to an address. */
export function listUsedRedirectUris({
  grants,
  redirect_uris,
}: Pick<Registration, 'grants' | 'redirect_uris'>): string[] {
  return grants.split(' ').includes('authorization_code') ? (JSON.parse(redirect_uris) as string[]) : [];
}

export async function sweepRegistrations({ store, clock }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  await store.transaction((records) => deleteExpiredRegistrations(records, clock.now()));
}
