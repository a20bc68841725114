/** Checks DPoP proofs at the API (RFC 9449 §4.3); the engine checks them at its own endpoints. */
import { hash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { ServiceError } from '#platform/errors.ts';
import { DPOP_ALGORITHMS } from '#platform/grant-types.ts';
import type { Services } from '#services.ts';
import { hashTokenValue, insertTokenOnce } from '#store/clients/tokens.ts';

const MAX_PROOF_LENGTH = 4_096;

/** A token, and the thumbprint of the key that it is bound to. */
export interface BoundToken {
  readonly token: string;
  readonly jkt: string;
}

interface PresentedProof {
  readonly proof: string;
  /** Null if the request is for a token: then any key is accepted. */
  readonly bound: BoundToken | null;
  readonly method: string;
  /** Without the query. */
  readonly url: string;
}

/** Throws unless the proof is for this request, by the token's key, and unused; returns the key's thumbprint. */
export async function requireDpopProof(
  services: Pick<Services, 'clock' | 'store'>,
  presented: PresentedProof,
): Promise<string> {
  const { bound } = presented;
  const { payload, key } = await verifyProofSignature(presented.proof);
  const { htm, htu, iat, jti, ath } = payload;
  const window = oauthLifetimes.dpopProof * 1_000;
  if (htm !== presented.method) throw createProofError('`htm` is not the method of this request');
  if (!isSameUrl(htu, presented.url))
    throw createProofError('`htu` is not the address of this request without its query');
  if (typeof iat !== 'number' || Math.abs(services.clock.now() - iat * 1_000) > window)
    throw createProofError('`iat` is missing, or too far from the time of this service');
  if (ath !== (bound ? hash('sha256', bound.token, 'base64url') : undefined))
    throw createProofError('`ath` is not the SHA-256 of the access token in base64url');
  const jkt = await calculateJwkThumbprint(key);
  if (bound && jkt !== bound.jkt)
    throw createProofError('it is signed by a key that the token is not bound to');
  if (typeof jti !== 'string' || jti === '') throw createProofError('`jti` is missing');
  const replayRecord = {
    id: hashTokenValue(`${jkt}\n${jti}`),
    kind: 'ReplayDetection',
    payload: '{}',
    // Counted from iat: a proof dated in the future stays valid longer.
    expires_at: Math.ceil(iat * 1_000) + window,
  };
  const isNew = await services.store.transaction(
    (records) => insertTokenOnce(records, replayRecord),
    'one statement',
  );
  if (!isNew) throw createProofError('it was used before; make a new one for each request');
  return jkt;
}

async function verifyProofSignature(proof: string) {
  if (proof.length > MAX_PROOF_LENGTH) throw createProofError('it is too long');
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: [...DPOP_ALGORITHMS],
      typ: 'dpop+jwt',
    });
    return { payload, key: protectedHeader.jwk as JWK };
  } catch {
    throw createProofError(
      `it is not a JWT of the type \`dpop+jwt\` with a public \`jwk\`, signed with it by ${DPOP_ALGORITHMS.join(', ')}`,
    );
  }
}

/** RFC 9449 §4.3: compares normalized URLs without query and fragment. */
function isSameUrl(htu: unknown, url: string): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu) || !URL.canParse(url)) return false;
  const { origin, pathname } = new URL(htu);
  return origin + pathname === new URL(url).href;
}

/** Says what is wrong, because the client that signed the proof knows everything in it. */
function createProofError(fault: string): ServiceError {
  return new ServiceError('invalid_dpop_proof', { detail: `The DPoP proof was refused: ${fault}.` });
}
