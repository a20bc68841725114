/** Checks DPoP proofs at the API (RFC 9449 §4.3); the engine checks them at its own endpoints. */
import { hash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { hashTokenValue, insertTokenOnce } from '#store/tokens.ts';
import { DPOP_ALGORITHMS } from './dpop-algorithms.ts';

const MAX_PROOF_LENGTH = 4_096;

interface PresentedProof {
  readonly proof: string;
  readonly token: string;
  /** Thumbprint of the key that the token is bound to. */
  readonly jkt: string;
  readonly method: string;
  /** Without the query. */
  readonly url: string;
}

/** Throws unless the proof is for this request, signed with the token's key, and never used before. */
export async function requireDpopProof(
  services: Pick<Services, 'clock' | 'store'>,
  presented: PresentedProof,
): Promise<void> {
  const { payload, key } = await verifyProofSignature(presented.proof);
  const { htm, htu, iat, jti, ath } = payload;
  const window = oauthLifetimes.dpopProof * 1_000;
  if (htm !== presented.method || !isSameUrl(htu, presented.url)) throw createProofError();
  if (typeof iat !== 'number' || Math.abs(services.clock.now() - iat * 1_000) > window)
    throw createProofError();
  if (ath !== hash('sha256', presented.token, 'base64url')) throw createProofError();
  if ((await calculateJwkThumbprint(key)) !== presented.jkt) throw createProofError();
  if (typeof jti !== 'string' || jti === '') throw createProofError();
  const replayRecord = {
    id: hashTokenValue(`${presented.jkt}\n${jti}`),
    kind: 'ReplayDetection',
    payload: '{}',
    // Counted from iat: a proof dated in the future stays valid longer.
    expires_at: iat * 1_000 + window,
  };
  if (!(await services.store.transaction((records) => insertTokenOnce(records, replayRecord))))
    throw createProofError();
}

async function verifyProofSignature(proof: string) {
  if (proof.length > MAX_PROOF_LENGTH) throw createProofError();
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

/** RFC 9449 §4.3: compares normalized URLs without query and fragment. */
function isSameUrl(htu: unknown, url: string): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu)) return false;
  const { origin, pathname } = new URL(htu);
  return origin + pathname === new URL(url).href;
}

function createProofError(): ServiceError {
  return new ServiceError('invalid_dpop_proof');
}
