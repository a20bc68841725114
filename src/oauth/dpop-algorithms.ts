/** The signatures that a DPoP proof may have, at the token endpoint and at the API alike. */
export const DPOP_ALGORITHMS = ['ES256', 'Ed25519', 'EdDSA'] as const;
