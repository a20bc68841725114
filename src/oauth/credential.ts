/** The token that a request shows: in the Authorization header, in one way, or not at all (RFC 6750 §2). */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '#platform/errors.ts';

export interface PresentedToken {
  readonly scheme: 'bearer' | 'dpop';
  /** Empty where the header has none or more than one: no token has that value. */
  readonly token: string;
}

export function readPresentedToken({ headers, query, routeOptions }: FastifyRequest): PresentedToken | null {
  // An address is written down in too many places; RFC 9700 §4.3.2 forbids it.
  if ('access_token' in (query as object)) throw new ServiceError('token_in_query');
  if (headers.authorization === undefined) return null;
  const [first = '', second, ...rest] = headers.authorization.split(/ +/);
  if (second === undefined && routeOptions.config.bareToken) return { scheme: 'bearer', token: first };
  const scheme = first.toLowerCase();
  // RFC 6750 §3.1: another scheme counts as no token at all.
  if (scheme !== 'bearer' && scheme !== 'dpop') throw new ServiceError('unauthorized');
  return { scheme, token: rest.length === 0 ? (second ?? '') : '' };
}
