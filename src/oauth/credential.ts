/** Reads the token that a request presents, and requires the DPoP proof of its key. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '#platform/errors.ts';
import { createLazy } from '#platform/lazy.ts';
import type { Services } from '#services.ts';
import type { BoundToken } from './dpop.ts';

export interface PresentedToken {
  readonly scheme: 'bearer' | 'dpop';
  /** Empty if the header has no token or several; no valid token is empty. */
  readonly token: string;
}

/** Only the Authorization header may carry a token (RFC 6750 §2). */
export function readPresentedToken({ headers, query, routeOptions }: FastifyRequest): PresentedToken | null {
  // RFC 9700 §4.3.2: URLs end up in logs and histories.
  if ('access_token' in (query as object)) throw new ServiceError('token_in_query');
  if (headers.authorization === undefined) return null;
  const [first = '', second, ...rest] = headers.authorization.split(/ +/);
  if (second === undefined && routeOptions.config.bareToken) return { scheme: 'bearer', token: first };
  const scheme = first.toLowerCase();
  // RFC 6750 §3.1: another scheme counts as no token.
  if (scheme !== 'bearer' && scheme !== 'dpop') throw new ServiceError('unauthorized');
  return { scheme, token: rest.length === 0 ? (second ?? '') : '' };
}

/** Loaded on first use, because most callers use bearer tokens. */
const loadDpopCheck = createLazy(() => import('./dpop.ts'));

/** Returns the thumbprint of the key; `bound` is null if the request is for a token. */
export async function requireRequestProof(
  services: Pick<Services, 'addresses' | 'clock' | 'store'>,
  request: FastifyRequest,
  bound: BoundToken | null,
): Promise<string> {
  const proof = request.headers['dpop'];
  if (typeof proof !== 'string')
    throw new ServiceError('invalid_dpop_proof', {
      detail: 'Send exactly one DPoP header with a proof of the key that the token is bound to.',
    });
  const { requireDpopProof } = await loadDpopCheck();
  const url = services.addresses.site + (request.url.split('?', 1)[0] ?? '');
  return await requireDpopProof(services, { bound, proof, method: request.method, url });
}
