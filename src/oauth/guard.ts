/** Authorizes requests: checks the presented token against the access that the route declares. */
import type { FastifyRequest } from 'fastify';
import { isClientHostAllowed } from '#clients/document-clients.ts';
import { ServiceError } from '#platform/errors.ts';
import { DPOP_ALGORITHMS } from '#platform/grant-types.ts';
import type { App, RouteAccess } from '#platform/http/app-type.ts';
import type { ProblemCode } from '#platform/problems.ts';
import type { Scope } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { findAccessToken, hashTokenValue } from '#store/clients/tokens.ts';
import type { RecordOwner } from '#store/owner.ts';
import { type PresentedToken, readPresentedToken, requireRequestProof } from './credential.ts';

const CHALLENGED_CODES: readonly ProblemCode[] = [
  'unauthorized',
  'invalid_token',
  'invalid_dpop_proof',
  'insufficient_scope',
  'client_token_required',
];

/** The caller of a request: a client, acting for itself or for a user. */
export interface Caller extends RecordOwner {
  readonly scopes: readonly string[];
  readonly token: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if the route takes no token, or none was presented. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Accepts a token without a scheme, as PocketBase clients send it. */
    bareToken?: true;
  }
}

type GuardServices = Pick<Services, 'addresses' | 'clientDocumentHosts' | 'clock' | 'store'>;
/** What this guard checks; the desk API has its own guard. */
type TokenAccess = Exclude<RouteAccess, 'public' | 'desk'>;
/** The access that a call needs, if calls of its route need different access. */
export type CallAccess = Scope | { readonly optional: Scope | 'token' };

export function addAccessGuard(app: App, services: GuardServices): void {
  app.decorateRequest('caller', null);
  // Before the body is read or validated, so that unauthorized callers get no validation errors.
  app.addHook('onRequest', (request, _reply, done) => {
    const { access = 'public' } = request.routeOptions.config;
    // Fastify waits for a promise or for `done`: a public route need not wait at all.
    if (access === 'public' || access === 'desk' || request.is404) return done();
    return authorizeRequest(services, request, access);
  });
}

export function requireCaller({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new ServiceError('unauthorized');
  return caller;
}

async function authorizeRequest(
  services: GuardServices,
  request: FastifyRequest,
  access: TokenAccess,
): Promise<void> {
  const { optional, scope } = toAccessRequirement(access);
  let credential: PresentedToken | null = null;
  try {
    credential = readPresentedToken(request);
    if (credential === null && optional) return;
    if (credential === null) throw new ServiceError('unauthorized');
    const caller = await authenticateCaller(services, request, credential);
    // Anything created without a token does not belong to the caller, so only reading can do without the scope.
    if (scope) requireScope(caller, scope, optional && request.method === 'GET');
    if (request.routeOptions.config.clientOnly && caller.userId !== null)
      throw new ServiceError('client_token_required');
    request.caller = caller;
    request.account = [caller.clientId, caller.userId ?? []].flat().join(' ');
  } catch (error) {
    throw withAuthChallenges(error, services, request, { scheme: credential?.scheme, scope });
  }
}

/**
 * For a route that learns from its body what the call needs; the token itself has been checked by then. Clients ask
 * for exactly what a challenge names, so it includes the token's scopes, which would be lost otherwise.
 */
export function requireCallAccess(
  services: Pick<Services, 'addresses'>,
  request: FastifyRequest,
  access: CallAccess,
  askedAtOnce: readonly Scope[],
): void {
  const { optional, scope } = toAccessRequirement(access);
  const { caller } = request;
  if (scope === null || (caller === null && optional)) return;
  try {
    requireScope(requireCaller(request), scope);
  } catch (error) {
    const scopes = caller ? new Set([...caller.scopes, scope]) : askedAtOnce;
    throw withAuthChallenges(error, services, request, {
      scheme: readPresentedToken(request)?.scheme,
      scope: [...scopes].join(' '),
    });
  }
}

function requireScope({ scopes }: Caller, scope: Scope, needsNone = false): void {
  if (scopes.includes(scope)) return;
  throw new ServiceError('insufficient_scope', {
    detail: `The access token lacks the scope ${scope}. Ask for it when you request a token${needsNone ? ', or send no token' : ''}.`,
  });
}

function toAccessRequirement(access: TokenAccess): { optional: boolean; scope: Scope | null } {
  if (access === 'token') return { optional: false, scope: null };
  if (typeof access === 'string') return { optional: false, scope: access };
  return { optional: true, scope: access.optional === 'token' ? null : access.optional };
}

/** The stored payload of a token, as the engine writes it. */
interface TokenPayload {
  readonly clientId: string;
  readonly accountId?: string;
  readonly scope?: string;
  readonly jkt?: string;
}

async function authenticateCaller(
  services: GuardServices,
  request: FastifyRequest,
  { scheme, token }: PresentedToken,
): Promise<Caller> {
  const row = await findAccessToken(services.store.records, hashTokenValue(token));
  if (!row || row.expires_at <= services.clock.now()) throw new ServiceError('invalid_token');
  const { clientId, accountId = null, scope = '', jkt } = JSON.parse(row.payload) as TokenPayload;
  // The operator may have removed the client's host from the list since.
  if (!isClientHostAllowed(services, clientId)) throw new ServiceError('invalid_token');
  // RFC 9449 §7.1: a bound token needs the DPoP scheme, and an unbound one must not use it.
  if ((jkt !== undefined) !== (scheme === 'dpop')) throw new ServiceError('invalid_token');
  if (jkt !== undefined) await requireRequestProof(services, request, { token, jkt });
  return { clientId, userId: accountId, scopes: scope.split(' '), token };
}

/** Adds challenges to an authentication error; returns any other error unchanged. `scope` may be several. */
function withAuthChallenges(
  error: unknown,
  { addresses }: Pick<Services, 'addresses'>,
  { routeOptions }: FastifyRequest,
  { scheme, scope }: { scheme: PresentedToken['scheme'] | undefined; scope: string | null },
): unknown {
  if (!(error instanceof ServiceError) || !CHALLENGED_CODES.includes(error.code)) return error;
  const metadata = `resource_metadata="${addresses.resourceMetadataFor(routeOptions.url ?? '')}"`;
  // RFC 6750 §3.1: no error code without a token; and none of its codes means that another kind of token is needed.
  const hasErrorCode = scheme !== undefined && error.code !== 'client_token_required';
  const errorParameters = hasErrorCode
    ? [`error="${error.code}"`, `error_description="${error.publicMessage}"`]
    : [];
  const where = scope ? [`scope="${scope}"`, metadata] : [metadata];
  const bearer = [...(scheme === 'bearer' ? errorParameters : []), ...where];
  const algorithms = `algs="${DPOP_ALGORITHMS.join(' ')}"`;
  const dpop = [...(scheme === 'dpop' ? errorParameters : []), algorithms, ...where];
  return new ServiceError(error.code, {
    detail: error.publicMessage,
    headers: { 'www-authenticate': [`Bearer ${bearer.join(', ')}`, `DPoP ${dpop.join(', ')}`] },
  });
}
