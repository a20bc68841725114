/** The signature algorithms allowed in DPoP proofs, at the token endpoint and at the API. */
export const DPOP_ALGORITHMS = ['ES256', 'Ed25519', 'EdDSA'] as const;
