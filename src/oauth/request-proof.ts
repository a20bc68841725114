/** Requires the DPoP proof in the header of a request. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '#platform/errors.ts';
import { createLazy } from '#platform/lazy.ts';
import type { Services } from '#services.ts';
import type { BoundToken } from './dpop.ts';

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
