/** How a program becomes a client: it asks, a maintainer decides, and the credentials are handed over once. */
import { isSameText } from '#platform/constant-time.ts';
import { ServiceError } from '#platform/errors.ts';
import { newId } from '#platform/ids.ts';
import type { Scope } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { changeClient, insertClient } from '#store/clients.ts';
import { type Repeat, takeKey } from '#store/idempotent-request.ts';
import { enqueue } from '#store/outbox.ts';
import {
  collectRegistration,
  countPending,
  findRegistration,
  forgetRegistrations,
  insertRegistration,
  type Registration,
} from '#store/registrations.ts';
import type { Records } from '#store/tables.ts';
import { type Credentials, clientRow, isSecret, newSecret, secretHash } from './clients.ts';
import type { GrantType } from './grant-types.ts';
import { lifetimes } from './lifetimes.ts';
import { offerToken, REGISTERED_TOPIC } from './registration-mail.ts';

/** As many as a person can look at; whoever floods the queue closes it for a while, and fills nothing else. */
export const MOST_PENDING = 1_000;
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

export interface Registered {
  readonly id: string;
  /** Shown once, since only its hash is kept; null where the same request came before. */
  readonly token: string | null;
}

type Parts = Pick<Services, 'store' | 'clock' | 'keyring'>;

export async function register(
  { store, clock, keyring }: Parts,
  { name, contact, identityType, credentials, redirectUris }: NewRegistration,
  repeat: Repeat | null = null,
): Promise<Registered> {
  const now = clock.now();
  const id = newId();
  const token = newSecret();
  const row: Registration = {
    id,
    name,
    contact_box: keyring.seal('registration contact', contact, id),
    identity_type: identityType,
    credentials,
    redirect_uris: JSON.stringify(redirectUris),
    status: 'pending',
    token_hash: secretHash(token),
    scopes: '',
    grants: '',
    client_id: null,
    offer: null,
    offer_until: null,
    created_at: now,
    forget_at: now + lifetimes.registration * 1_000,
  };
  const before = await store.transaction(async (records) => {
    const made = repeat ? await takeKey(records, repeat, id, now) : null;
    if (made !== null) return made;
    if ((await countPending(records)) >= MOST_PENDING) throw new ServiceError('registrations_full');
    await insertRegistration(records, row);
    await enqueue(records, {
      topic: REGISTERED_TOPIC,
      dedupe: REGISTERED_TOPIC,
      payload: {},
      dueAt: now + GATHER_MS,
    });
    return null;
  });
  return before === null ? { id, token } : { id: before, token: null };
}

/** What a client is given, and may do with it. */
export interface Provisioned extends Credentials {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly grants: readonly GrantType[];
}

/** How a registration stands for whoever holds its token; once it is approved, this hands the credentials over. */
export async function askRegistration(
  parts: Parts,
  id: string,
  token: string,
): Promise<'pending' | 'rejected' | Provisioned> {
  const now = parts.clock.now();
  const found = await findRegistration(parts.store.records, id);
  const until = (found?.created_at ?? 0) + lifetimes.registration * 1_000;
  if (!found?.token_hash || !isSecret(token, found.token_hash) || until <= now)
    throw new ServiceError('invalid_token');
  if (found.status === 'pending' || found.status === 'rejected') return found.status;
  const provisioned = await collect(parts, found, 'token_hash');
  if (!provisioned) throw new ServiceError('invalid_token');
  return provisioned;
}

/** The name of the program that a one-time link is for. */
export async function readOffer(parts: Parts, link: string): Promise<string> {
  return (await demandOffer(parts, link)).name;
}

export async function acceptOffer(parts: Parts, link: string): Promise<Provisioned> {
  const provisioned = await collect(parts, await demandOffer(parts, link), 'offer');
  if (!provisioned) throw new ServiceError('link_spent');
  return provisioned;
}

async function demandOffer({ store, clock, keyring }: Parts, link: string): Promise<Registration> {
  const [id = '', token = ''] = link.split('.');
  const found = await findRegistration(store.records, id);
  const now = clock.now();
  if (found?.offer && (found.offer_until ?? 0) > now && isSameText(token, offerToken(keyring, found.offer)))
    return found;
  throw new ServiceError('link_spent');
}

/** Null if another way was quicker: the secret exists from here on, and in one answer alone. */
async function collect(
  { store, clock }: Parts,
  shown: Registration,
  by: 'token_hash' | 'offer',
): Promise<Provisioned | null> {
  const { id } = shown;
  const clientSecret = newSecret();
  return await store.transaction(async (records) => {
    const current = await findRegistration(records, id);
    // What entitles to them may have been replaced meanwhile: an older link opens no newer offer.
    if (current?.[by] !== shown[by]) return null;
    const found = await collectRegistration(records, id);
    if (!found?.client_id) return null;
    const credentials = { clientId: found.client_id, clientSecret };
    await keepClient(records, found, credentials, clock.now());
    const { name } = found;
    return { ...credentials, name, ...choiceOf(found) };
  });
}

/** Made with its first secret; a rotation finds it there. */
async function keepClient(
  records: Records,
  found: Registration,
  credentials: Credentials,
  now: number,
): Promise<void> {
  const secret = { secret_hash: secretHash(credentials.clientSecret) };
  if (await changeClient(records, credentials.clientId, secret)) return;
  const { name, credentials: kinds } = found;
  const client = { name, credentials: kinds, ...choiceOf(found), redirectUris: usedRedirects(found) };
  await insertClient(records, clientRow(client, credentials, now));
}

/** What the maintainer chose. */
export function choiceOf({ scopes, grants }: Pick<Registration, 'scopes' | 'grants'>): {
  scopes: Scope[];
  grants: GrantType[];
} {
  const names = (text: string) => (text === '' ? [] : text.split(' '));
  return { scopes: names(scopes) as Scope[], grants: names(grants) as GrantType[] };
}

/** Only an authorization comes back to an address. */
export function usedRedirects({
  grants,
  redirect_uris,
}: Pick<Registration, 'grants' | 'redirect_uris'>): string[] {
  return grants.split(' ').includes('authorization_code') ? (JSON.parse(redirect_uris) as string[]) : [];
}

export async function sweepRegistrations({ store, clock }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  await store.transaction((records) => forgetRegistrations(records, clock.now()));
}
