/** A client: its rules, its row, which has only the hash of its secret, and its metadata for the OAuth engine. */
import { hash, randomBytes } from 'node:crypto';
import type { AllClientMetadata } from 'oidc-provider';
import { type GrantType, oauthResponseModes } from '#platform/grant-types.ts';
import type { Scope } from '#platform/scopes.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import type { ClientRecord } from '#store/clients/clients.ts';
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
  /** Returned only once: the store has only its hash. */
  readonly clientSecret: string;
}

export const CLIENT_NAME_LENGTH = 100;
/** People see the name on the consent page: no invisible or reordering characters, and nothing like markup. */
export const CLIENT_NAME_PATTERN = '^[^\\p{C}\\p{Zl}\\p{Zp}<>]+$';
const SECRET_BYTES = 32;

export function isClientName(name: string): boolean {
  return name.length <= CLIENT_NAME_LENGTH && new RegExp(CLIENT_NAME_PATTERN, 'u').test(name);
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

/** Returns what is wrong, or null. The engine would notice only at the client's first token request. */
export function findClientFault(
  client: Pick<NewClient, 'grants' | 'redirectUris' | 'scopes'>,
): string | null {
  const { grants, redirectUris, scopes } = client;
  if (grants.length === 0) return 'a client needs at least one grant';
  if (scopes.length === 0) return 'a client needs at least one scope';
  const misfit = findGrantMisfit({ grants, redirectUris });
  if (misfit) return misfit.fault;
  if (redirectUris.length > 0 && !grants.includes('authorization_code'))
    return 'redirect URIs are allowed only with authorization_code';
  return redirectUris.map(findRedirectUriFault).find((fault) => fault !== null) ?? null;
}

/** Returns why the grants are not possible and which field of a registration to change, or null. */
export function findGrantMisfit({ grants, redirectUris }: Pick<NewClient, 'grants' | 'redirectUris'>): {
  readonly field: 'grant_types' | 'redirect_uris';
  readonly fault: string;
} | null {
  const actsForUsers = grants.includes('authorization_code');
  if (grants.includes('refresh_token') && !actsForUsers)
    return { field: 'grant_types', fault: 'refresh_token requires authorization_code' };
  if (actsForUsers && redirectUris.length === 0)
    return { field: 'redirect_uris', fault: 'authorization_code requires a redirect URI' };
  return null;
}

export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Compares hashes in constant time; all hashes have the same length. */
export function matchesSecretHash(secret: string, storedHash: string): boolean {
  return isEqualInConstantTime(hashSecret(secret), storedHash);
}

export function toClientMetadata(client: ClientRecord): AllClientMetadata {
  const redirectUris = JSON.parse(client.redirect_uris) as string[];
  const actsForUsers = redirectUris.length > 0;
  return {
    client_id: client.id,
    client_name: client.name,
    client_secret: client.secret_hash,
    // Also covers client_secret_post: the engine accepts either.
    token_endpoint_auth_method: 'client_secret_basic',
    application_type: redirectUris.some(isNativeRedirectUri) ? 'native' : 'web',
    grant_types: client.grants.split(' '),
    redirect_uris: redirectUris,
    response_types: actsForUsers ? ['code'] : [],
    ...(actsForUsers ? { response_modes: [...oauthResponseModes] } : {}),
    scope: client.scopes,
    dpop_bound_access_tokens: client.credentials === 'dpop',
  };
}
