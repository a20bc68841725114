/** Reads the token that a request presents; only the Authorization header may carry one (RFC 6750 §2). */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '#platform/errors.ts';

export interface PresentedToken {
  readonly scheme: 'bearer' | 'dpop';
  /** Empty if the header has no token or several; no valid token is empty. */
  readonly token: string;
}

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
