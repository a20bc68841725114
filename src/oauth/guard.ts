/** Lets a request through to a route if its token is good for it; the route says what it needs as data. */
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '#platform/errors.ts';
import type { App, RouteAccess } from '#platform/http/app.ts';
import type { Scope } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { findAccessToken, hashTokenValue } from '#store/tokens.ts';
import { withAuthChallenges } from './challenge.ts';
import { type PresentedToken, readPresentedToken } from './credential.ts';

/** Who calls: a program, for itself or for a person. */
export interface Caller {
  readonly clientId: string;
  readonly userId: string | null;
  readonly scopes: readonly string[];
  /** As it was shown. */
  readonly token: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where a route takes no token, or none was shown. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** For clients that show a token without naming its scheme. */
    bareToken?: true;
  }
}

export function addAccessGuard(app: App, services: Pick<Services, 'addresses' | 'clock' | 'store'>): void {
  app.decorateRequest('caller', null);
  // Before any body is read or checked: who may not ask learns nothing about how to.
  app.addHook('onRequest', async (request) => {
    const { access = 'public' } = request.routeOptions.config;
    if (access !== 'public' && !request.is404) await authorizeRequest(services, request, access);
  });
}

/** The caller of a route that no one reaches without a token. */
export function requireCaller({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new ServiceError('unauthorized');
  return caller;
}

async function authorizeRequest(
  services: Pick<Services, 'addresses' | 'clock' | 'store'>,
  request: FastifyRequest,
  access: Exclude<RouteAccess, 'public'>,
): Promise<void> {
  const { optional, scope } = toAccessRequirement(access);
  let credential: PresentedToken | null = null;
  try {
    credential = readPresentedToken(request);
    if (credential === null && optional) return;
    if (credential === null) throw new ServiceError('unauthorized');
    const caller = await authenticateCaller(services, request, credential);
    if (scope && !caller.scopes.includes(scope)) throw new ServiceError('insufficient_scope');
    request.caller = caller;
  } catch (error) {
    throw withAuthChallenges(error, {
      addresses: services.addresses,
      scheme: credential?.scheme ?? null,
      scope,
    });
  }
}

function toAccessRequirement(access: Exclude<RouteAccess, 'public'>): {
  optional: boolean;
  scope: Scope | null;
} {
  if (access === 'token') return { optional: false, scope: null };
  return typeof access === 'string'
    ? { optional: false, scope: access }
    : { optional: true, scope: access.optional };
}

/** What the engine writes into a token. */
interface TokenPayload {
  readonly clientId: string;
  readonly accountId?: string;
  readonly scope?: string;
  readonly jkt?: string;
}

async function authenticateCaller(
  services: Pick<Services, 'addresses' | 'clock' | 'store'>,
  request: FastifyRequest,
  { scheme, token }: PresentedToken,
): Promise<Caller> {
  const row = await findAccessToken(services.store.records, hashTokenValue(token));
  if (!row || row.expires_at <= services.clock.now()) throw new ServiceError('invalid_token');
  const { clientId, accountId = null, scope = '', jkt } = JSON.parse(row.payload) as TokenPayload;
  // RFC 9449 §7.1: a bound token is worth nothing without its proof, and one that is not bound proves nothing.
  if ((jkt !== undefined) !== (scheme === 'dpop')) throw new ServiceError('invalid_token');
  if (jkt !== undefined) await requireRequestProof(services, request, { token, jkt });
  return { clientId, userId: accountId, scopes: scope.split(' '), token };
}

async function requireRequestProof(
  services: Pick<Services, 'addresses' | 'clock' | 'store'>,
  request: FastifyRequest,
  bound: { readonly token: string; readonly jkt: string },
): Promise<void> {
  const proof = request.headers['dpop'];
  if (typeof proof !== 'string') throw new ServiceError('invalid_dpop_proof');
  // Loaded only when used: most callers show plain bearer tokens.
  const { requireDpopProof } = await import('./dpop.ts');
  const url = services.addresses.site + (request.url.split('?', 1)[0] ?? '');
  await requireDpopProof(services, { ...bound, proof, method: request.method, url });
}
