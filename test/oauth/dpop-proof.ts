/** Keys and proofs for DPoP (RFC 9449), in which every claim can be forged. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { ClientCredentials } from '#clients/clients.ts';
import { clientCredentialsForm, type OAuthTestApp } from './oauth-test-app.ts';

export interface ProofKey {
  readonly createProof: (claims: ProofClaims) => Promise<string>;
  readonly jwk: JWK;
}

interface ProofClaims {
  readonly htm: string;
  readonly htu: string;
  /** The access token to which the proof belongs. */
  readonly token?: string;
  readonly iat?: number;
  readonly jti?: string;
  readonly ath?: string;
  readonly typ?: string;
}

export async function generateProofKey(alg = 'ES256'): Promise<ProofKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    jwk,
    createProof: async ({ token, typ = 'dpop+jwt', ...claims }) =>
      await new SignJWT({
        jti: randomUUID(),
        iat: Math.floor(Date.now() / 1_000),
        ...(token && { ath: createHash('sha256').update(token).digest('base64url') }),
        ...claims,
      })
        .setProtectedHeader({ alg, typ, jwk })
        .sign(privateKey),
  };
}

/** Returns a token of the client itself that is bound to the key. */
export async function obtainBoundToken(
  { origin, requestToken }: Pick<OAuthTestApp, 'origin' | 'requestToken'>,
  client: ClientCredentials,
  { createProof }: ProofKey,
  scope?: string,
): Promise<string> {
  const dpop = await createProof({ htm: 'POST', htu: `${origin}/oauth2/token` });
  const { json, text } = await requestToken(
    client,
    { ...clientCredentialsForm, ...(scope && { scope }) },
    { dpop },
  );
  assert.equal(json['token_type'], 'DPoP', text);
  return String(json['access_token']);
}
