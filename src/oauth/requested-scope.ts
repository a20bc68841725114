/** Scope and resource of a request: defaults are the client's scopes and the API; unknown values are refused. */
import { type Client, errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import type { PublicAddresses } from '#platform/addresses.ts';

/** The API is the one name that arrives here: see `#oauth/one-resource.ts`. */
export function buildResourceIndicators({ api }: PublicAddresses) {
  return {
    enabled: true,
    defaultResource: (_ctx: KoaContextWithOIDC, _client: Client, oneOf?: readonly string[]) =>
      oneOf?.[0] ?? api,
    useGrantedResource: () => true,
    getResourceServerInfo: (ctx: KoaContextWithOIDC, resource: string, client: Client): ResourceServer => {
      if (resource !== api) throw new errors.InvalidTarget('unknown resource');
      requireCurrentRedirect(ctx, client);
      resolveRequestedScope(ctx, client);
      return {
        scope: client.scope ?? '',
        audience: api,
        accessTokenFormat: 'opaque',
        accessTokenTTL: oauthLifetimes.accessToken,
      };
    },
  };
}

/**
 * The engine checks the redirect address only where an authorization begins; it may have been taken from the client
 * before the sign-in ended, or before its code was used.
 */
function requireCurrentRedirect({ oidc }: KoaContextWithOIDC, client: Client): void {
  const { redirect_uri: uri, grant_type: grant } = (oidc.params ?? {}) as RequestParameters;
  if (uri === undefined || client.redirectUriAllowed(uri)) return;
  throw grant === undefined
    ? new errors.InvalidRedirectUri()
    : new errors.InvalidGrant('the redirect address was taken from the client');
}

interface RequestParameters {
  readonly redirect_uri?: string;
  readonly grant_type?: string;
}

/** Otherwise the engine would silently drop unknown scopes and issue a token without any. */
function resolveRequestedScope({ oidc }: KoaContextWithOIDC, client: Client): void {
  const params = oidc.params as { scope?: string; grant_type?: string } | undefined;
  const requestsScope = params?.grant_type === undefined || params.grant_type === 'client_credentials';
  if (!params || !requestsScope) return;
  params.scope ??= client.scope ?? '';
  const allowed = new Set(client.scope?.split(' '));
  for (const scope of params.scope.split(' '))
    if (!allowed.has(scope)) throw new errors.InvalidScope('requested scope is not allowed', scope);
}
