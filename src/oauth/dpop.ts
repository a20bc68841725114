/** Checks DPoP proofs at the API (RFC 9449 §4.3); the engine checks them at its own endpoints. */
import { hash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { hashTokenValue, insertTokenOnce } from '#store/tokens.ts';
import { DPOP_ALGORITHMS } from './dpop-algorithms.ts';

const MAX_PROOF_LENGTH = 4_096;

/** A token, and the thumbprint of the key that it is bound to. */
export interface BoundToken {
  readonly token: string;
  readonly jkt: string;
}

interface PresentedProof {
  readonly proof: string;
  /** Null where a token is asked for: then any key will do. */
  readonly bound: BoundToken | null;
  readonly method: string;
  /** Without the query. */
  readonly url: string;
}

/**
 * Throws unless the proof is for this request, signed with the token's key, and never used before. Returns the thumbprint
 * of the key.
 */
export async function requireDpopProof(
  services: Pick<Services, 'clock' | 'store'>,
  presented: PresentedProof,
): Promise<string> {
  const { bound } = presented;
  const { payload, key } = await verifyProofSignature(presented.proof);
  const { htm, htu, iat, jti, ath } = payload;
  const window = oauthLifetimes.dpopProof * 1_000;
  if (htm !== presented.method || !isSameUrl(htu, presented.url)) throw createProofError();
  if (typeof iat !== 'number' || Math.abs(services.clock.now() - iat * 1_000) > window)
    throw createProofError();
  if (ath !== (bound ? hash('sha256', bound.token, 'base64url') : undefined)) throw createProofError();
  const jkt = await calculateJwkThumbprint(key);
  if (bound && jkt !== bound.jkt) throw createProofError();
  if (typeof jti !== 'string' || jti === '') throw createProofError();
  const replayRecord = {
    id: hashTokenValue(`${jkt}\n${jti}`),
    kind: 'ReplayDetection',
    payload: '{}',
    // Counted from iat: a proof dated in the future stays valid longer.
    expires_at: iat * 1_000 + window,
  };
  if (!(await services.store.transaction((records) => insertTokenOnce(records, replayRecord))))
    throw createProofError();
  return jkt;
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
  if (typeof htu !== 'string' || !URL.canParse(htu) || !URL.canParse(url)) return false;
  const { origin, pathname } = new URL(htu);
  return origin + pathname === new URL(url).href;
}

function createProofError(): ServiceError {
  return new ServiceError('invalid_dpop_proof');
}
