/** The grant types, client authentication methods, response modes and algorithms of the authorization server. */
export const grantTypes = ['authorization_code', 'client_credentials', 'refresh_token'] as const;

export type GrantType = (typeof grantTypes)[number];

/** For clients that registered. */
export const clientAuthMethods = ['client_secret_basic', 'client_secret_post'] as const;

/** For clients that have only a metadata document (RFC 7591 §2). */
export const PUBLIC_CLIENT_METHOD = 'none';

/** Offers `none` only if client metadata documents are accepted. */
export function listClientAuthMethods(clientDocumentHosts: readonly string[]) {
  return clientDocumentHosts.length === 0
    ? clientAuthMethods
    : ([...clientAuthMethods, PUBLIC_CLIENT_METHOD] as const);
}

/** Both are redirects; form_post would need a script. */
export const oauthResponseModes = ['query', 'fragment'] as const;

/** The signature algorithms allowed in DPoP proofs, at the token endpoint and at the API. */
export const DPOP_ALGORITHMS = ['ES256', 'Ed25519', 'EdDSA'] as const;
