/** Checks the proof of a DPoP-bound token at the API (RFC 9449 §4.3); the engine checks those at its own endpoints. */
import { hash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { hashTokenValue, insertTokenOnce } from '#store/tokens.ts';
import { DPOP_ALGORITHMS } from './dpop-algorithms.ts';

const LONGEST_PROOF = 4_096;

interface Shown {
  readonly proof: string;
  readonly token: string;
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt: string;
  readonly method: string;
  /** Without the query. */
  readonly url: string;
}

/** Fails unless the proof was made for this very request, by the holder of the token's key, and never shown before. */
export async function requireDpopProof(
  services: Pick<Services, 'clock' | 'store'>,
  shown: Shown,
): Promise<void> {
  const { payload, key } = await verifyProofSignature(shown.proof);
  const { htm, htu, iat, jti, ath } = payload;
  const window = oauthLifetimes.dpopProof * 1_000;
  if (htm !== shown.method || !isSameUrl(htu, shown.url)) throw createProofError();
  if (typeof iat !== 'number' || Math.abs(services.clock.now() - iat * 1_000) > window)
    throw createProofError();
  if (ath !== hash('sha256', shown.token, 'base64url')) throw createProofError();
  if ((await calculateJwkThumbprint(key)) !== shown.jkt) throw createProofError();
  if (typeof jti !== 'string' || jti === '') throw createProofError();
  const seen = {
    id: hashTokenValue(`${shown.jkt}\n${jti}`),
    kind: 'ReplayDetection',
    payload: '{}',
    // From iat on: a proof dated ahead is good for that much longer.
    expires_at: iat * 1_000 + window,
  };
  if (!(await services.store.transaction((records) => insertTokenOnce(records, seen))))
    throw createProofError();
}

async function verifyProofSignature(proof: string) {
  if (proof.length > LONGEST_PROOF) throw createProofError();
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: [...DPOP_ALGORITHMS],
      typ: 'dpop+jwt',
    });
    return { payload, key: protectedHeader.jwk as JWK };
  } catch {
    throw createProofError();
  }
}

/** RFC 9449 §4.3: compared after normalization, without query and fragment. */
function isSameUrl(htu: unknown, url: string): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu)) return false;
  const { origin, pathname } = new URL(htu);
  return origin + pathname === new URL(url).href;
}

function createProofError(): ServiceError {
  return new ServiceError('invalid_dpop_proof');
}
