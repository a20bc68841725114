/** Clients as the service makes them and as the engine wants to see them; secrets are known by their hash alone. */
import { hash, randomBytes } from 'node:crypto';
import type { AllClientMetadata } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import { isEqualInConstantTime } from '#platform/constant-time.ts';
import { generateId } from '#platform/ids.ts';
import type { Scope } from '#platform/scopes.ts';
import { type ClientRecord, insertClient } from '#store/clients.ts';
import type { Store } from '#store/store.ts';
import { type GrantType, oauthResponseModes } from './grant-types.ts';
import { findRedirectUriFault, isNativeRedirectUri } from './redirect-uris.ts';

export interface NewClient {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly grants: readonly GrantType[];
  readonly redirectUris: readonly string[];
  readonly credentials: ClientRecord['credentials'];
}

export interface ClientCredentials {
  readonly clientId: string;
  /** Shown once: only its hash is kept. */
  readonly clientSecret: string;
}

const SECRET_BYTES = 32;

export async function createClient(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  client: NewClient,
): Promise<ClientCredentials> {
  const fault = findClientFault(client);
  if (fault) throw new TypeError(fault);
  const credentials = { clientId: generateId(), clientSecret: generateSecretToken() };
  await store.transaction((records) => insertClient(records, toClientRow(client, credentials, clock.now())));
  return credentials;
}

export function generateSecretToken(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function toClientRow(
  client: NewClient,
  { clientId, clientSecret }: ClientCredentials,
  now: number,
): ClientRecord {
  return {
    id: clientId,
    name: client.name,
    secret_hash: hashSecret(clientSecret),
    status: 'active',
    scopes: client.scopes.join(' '),
    grants: client.grants.join(' '),
    redirect_uris: JSON.stringify(client.redirectUris),
    credentials: client.credentials,
    created_at: now,
  };
}

/** What is wrong with it, or null: the engine would find it out only when the client first asks for a token. */
export function findClientFault({
  grants,
  redirectUris,
  scopes,
}: Pick<NewClient, 'grants' | 'redirectUris' | 'scopes'>): string | null {
  const forPeople = grants.includes('authorization_code');
  if (grants.length === 0) return 'a client needs at least one grant';
  if (scopes.length === 0) return 'a client needs at least one scope';
  if (grants.includes('refresh_token') && !forPeople) return 'refresh_token requires authorization_code';
  if (forPeople !== redirectUris.length > 0)
    return 'redirect URIs are required for authorization_code, and allowed only with it';
  return redirectUris.map(findRedirectUriFault).find((fault) => fault !== null) ?? null;
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Hashes are of one length, and nothing about a secret can be learned from how far two of them agree. */
export function matchesSecretHash(shown: string, keptHash: string): boolean {
  return isEqualInConstantTime(hashSecret(shown), keptHash);
}

export function toClientMetadata(client: ClientRecord): AllClientMetadata {
  const redirectUris = JSON.parse(client.redirect_uris) as string[];
  const forPeople = redirectUris.length > 0;
  return {
    client_id: client.id,
    client_name: client.name,
    client_secret: client.secret_hash,
    // Stands for client_secret_post too: the engine takes either.
    token_endpoint_auth_method: 'client_secret_basic',
    application_type: redirectUris.some(isNativeRedirectUri) ? 'native' : 'web',
    grant_types: client.grants.split(' '),
    redirect_uris: redirectUris,
    response_types: forPeople ? ['code'] : [],
    ...(forPeople ? { response_modes: [...oauthResponseModes] } : {}),
    scope: client.scopes,
    dpop_bound_access_tokens: client.credentials === 'dpop',
  };
}
