/** The key that a session is bound to: made at the start, never stored, and proven with every request (RFC 9449). */
import { hash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface SessionKey {
  /** `token` is null before sign-in. `url` has no query. */
  readonly prove: (request: ProvenRequest) => Promise<string>;
}

interface ProvenRequest {
  readonly method: string;
  readonly url: string;
  readonly token: string | null;
}

const ALGORITHM = 'ES256';

export async function generateSessionKey(readClock: () => number): Promise<SessionKey> {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM);
  const jwk = await exportJWK(publicKey);
  return {
    prove: async ({ method, url, token }) =>
      await new SignJWT({
        jti: randomUUID(),
        htm: method,
        htu: url,
        ...(token === null ? {} : { ath: hash('sha256', token, 'base64url') }),
      })
        .setProtectedHeader({ typ: 'dpop+jwt', alg: ALGORITHM, jwk })
        .setIssuedAt(Math.floor(readClock() / 1_000))
        .sign(privateKey),
  };
}
