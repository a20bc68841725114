/** The WWW-Authenticate headers of refused requests (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1). */
import type { PublicAddresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { ProblemCode } from '#platform/problems.ts';
import type { PresentedToken } from './credential.ts';
import { DPOP_ALGORITHMS } from './dpop-algorithms.ts';

interface RefusedRequest {
  readonly addresses: PublicAddresses;
  /** The path that was called. */
  readonly path: string;
  /** The scheme of the presented token; null if there was none. */
  readonly scheme: PresentedToken['scheme'] | null;
  /** One scope, or several with spaces between. */
  readonly scope: string | null;
}

const CHALLENGED_CODES: readonly ProblemCode[] = [
  'unauthorized',
  'invalid_token',
  'invalid_dpop_proof',
  'insufficient_scope',
  'client_token_required',
];

/** Adds challenges to an authentication error; returns any other error unchanged. */
export function withAuthChallenges(
  error: unknown,
  { addresses, path, scheme, scope }: RefusedRequest,
): unknown {
  if (!(error instanceof ServiceError) || !CHALLENGED_CODES.includes(error.code)) return error;
  const metadata = `resource_metadata="${addresses.resourceMetadataFor(path)}"`;
  const scopeParameter = scope ? [`scope="${scope}"`] : [];
  // RFC 6750 §3.1: without a token, no error code; and none of its codes says that another kind of token is needed.
  const hasErrorCode = scheme !== null && error.code !== 'client_token_required';
  const errorParameters = hasErrorCode
    ? [`error="${error.code}"`, `error_description="${error.publicMessage}"`]
    : [];
  const bearer = [...(scheme === 'bearer' ? errorParameters : []), ...scopeParameter, metadata];
  const dpop = [
    ...(scheme === 'dpop' ? errorParameters : []),
    `algs="${DPOP_ALGORITHMS.join(' ')}"`,
    ...scopeParameter,
    metadata,
  ];
  return new ServiceError(error.code, {
    detail: error.publicMessage,
    headers: { 'www-authenticate': [`Bearer ${bearer.join(', ')}`, `DPoP ${dpop.join(', ')}`] },
  });
}
