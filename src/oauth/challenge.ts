/** The WWW-Authenticate headers of a refusal: how to do better (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1). */
import type { PublicAddresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { ProblemCode } from '#platform/problems.ts';
import type { Scope } from '#platform/scopes.ts';
import type { PresentedToken } from './credential.ts';
import { DPOP_ALGORITHMS } from './dpop-algorithms.ts';

interface Refused {
  readonly addresses: PublicAddresses;
  /** How the token was shown, if one was. */
  readonly scheme: PresentedToken['scheme'] | null;
  readonly scope: Scope | null;
}

const CHALLENGED: readonly ProblemCode[] = [
  'unauthorized',
  'invalid_token',
  'invalid_dpop_proof',
  'insufficient_scope',
];

/** The same error with its challenges; any other error as it is. */
export function withAuthChallenges(error: unknown, { addresses, scheme, scope }: Refused): unknown {
  if (!(error instanceof ServiceError) || !CHALLENGED.includes(error.code)) return error;
  const metadata = `resource_metadata="${addresses.oauth.resourceMetadata}"`;
  const wanted = scope ? [`scope="${scope}"`] : [];
  // RFC 6750 §3.1: whoever showed nothing is not told of an error.
  const fault = scheme ? [`error="${error.code}"`, `error_description="${error.publicMessage}"`] : [];
  const bearer = [...(scheme === 'bearer' ? fault : []), ...wanted, metadata];
  const dpop = [
    ...(scheme === 'dpop' ? fault : []),
    `algs="${DPOP_ALGORITHMS.join(' ')}"`,
    ...wanted,
    metadata,
  ];
  return new ServiceError(error.code, {
    headers: { 'www-authenticate': [`Bearer ${bearer.join(', ')}`, `DPoP ${dpop.join(', ')}`] },
  });
}
