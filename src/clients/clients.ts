/** Clients as the service makes them and as the engine wants to see them; secrets are known by their hash alone. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AllClientMetadata } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import type { Scope } from '#platform/scopes.ts';
import { type Client, insertClient } from '#store/clients.ts';
import type { Store } from '#store/store.ts';
import { type GrantType, responseModes } from './grant-types.ts';
import { isNative, redirectUriFault } from './redirect-uris.ts';

export interface NewClient {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly grants: readonly GrantType[];
  readonly redirectUris: readonly string[];
  readonly credentials: Client['credentials'];
}

export interface Credentials {
  readonly clientId: string;
  /** Shown once: only its hash is kept. */
  readonly clientSecret: string;
}

const SECRET_BYTES = 32;

export async function createClient(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  client: NewClient,
): Promise<Credentials> {
  const fault = clientFault(client);
  if (fault) throw new TypeError(fault);
  const credentials = { clientId: newId(), clientSecret: newSecret() };
  await store.transaction((records) => insertClient(records, clientRow(client, credentials, clock.now())));
  return credentials;
}

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function clientRow(client: NewClient, { clientId, clientSecret }: Credentials, now: number): Client {
  return {
    id: clientId,
    name: client.name,
    secret_hash: secretHash(clientSecret),
    status: 'active',
    scopes: client.scopes.join(' '),
    grants: client.grants.join(' '),
    redirect_uris: JSON.stringify(client.redirectUris),
    credentials: client.credentials,
    created_at: now,
  };
}

/** What is wrong with it, or null: the engine would find it out only when the client first asks for a token. */
export function clientFault({
  grants,
  redirectUris,
  scopes,
}: Pick<NewClient, 'grants' | 'redirectUris' | 'scopes'>): string | null {
  const forPeople = grants.includes('authorization_code');
  if (grants.length === 0) return 'a client needs a grant';
  if (scopes.length === 0) return 'a client needs a scope';
  if (grants.includes('refresh_token') && !forPeople)
    return 'refresh_token comes with authorization_code only';
  if (forPeople !== redirectUris.length > 0)
    return 'redirect URIs come with authorization_code, and with nothing else';
  return redirectUris.map(redirectUriFault).find((fault) => fault !== null) ?? null;
}

export function secretHash(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Hashes are of one length, and nothing about a secret can be learned from how far two of them agree. */
export function isSecret(shown: string, keptHash: string): boolean {
  return timingSafeEqual(Buffer.from(secretHash(shown)), Buffer.from(keptHash));
}

export function engineClient(client: Client): AllClientMetadata {
  const redirectUris = JSON.parse(client.redirect_uris) as string[];
  const forPeople = redirectUris.length > 0;
  return {
    client_id: client.id,
    client_name: client.name,
    client_secret: client.secret_hash,
    // Stands for client_secret_post too: the engine takes either.
    token_endpoint_auth_method: 'client_secret_basic',
    application_type: redirectUris.some(isNative) ? 'native' : 'web',
    grant_types: client.grants.split(' '),
    redirect_uris: redirectUris,
    response_types: forPeople ? ['code'] : [],
    ...(forPeople ? { response_modes: [...responseModes] } : {}),
    scope: client.scopes,
    dpop_bound_access_tokens: client.credentials === 'dpop',
  };
}
