/** Configures the OAuth engine (oidc-provider). */
import type { EventEmitter } from 'node:events';
import {
  type Client,
  type Configuration,
  type ErrorOut,
  errors,
  type KoaContextWithOIDC,
  Provider,
  type ResourceServer,
} from 'oidc-provider';
import { matchesSecretHash } from '#clients/clients.ts';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { oauthPaths, type PublicAddresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import { DPOP_ALGORITHMS, listClientAuthMethods } from '#platform/grant-types.ts';
import { toErrorTrace } from '#platform/log.ts';
import { SCOPES } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { findUser } from '#store/clients/users.ts';
import { createOidcAdapterFactory, isUserOfGrant } from './adapter.ts';
import {
  buildClientDocumentFeature,
  createDocumentFetch,
  explainDocumentFaults,
} from './client-documents.ts';
import { createResourceNaming, normalizeParameters } from './one-resource.ts';
import { SIGN_IN_COOKIE } from './sign-in-cookie.ts';
import { loadSigningKey, SERVER_SIGNING_ALGORITHM } from './signing-key.ts';
import { REMOVED_REDIRECT, refineTokenErrors } from './token-errors.ts';

interface RequestParameters {
  readonly redirect_uri?: string;
  readonly grant_type?: string;
  scope?: string;
}

export type OAuthErrorRenderer = (ctx: KoaContextWithOIDC, error: ErrorOut) => void;

export type EngineServices = Pick<
  Services,
  'addresses' | 'clientDocumentHosts' | 'clock' | 'log' | 'keyring' | 'store' | 'webhookNetwork'
>;

export async function createOidcProvider(
  services: EngineServices,
  renderError: OAuthErrorRenderer,
): Promise<Provider> {
  const { addresses, log } = services;
  const naming = createResourceNaming(addresses);
  const provider = new Provider(addresses.site, {
    ...fixedSettings,
    clientAuthMethods: [...listClientAuthMethods(services.clientDocumentHosts)],
    fetch: createDocumentFetch(services),
    adapter: createOidcAdapterFactory({ ...services, naming }),
    jwks: { keys: [await loadSigningKey(services)] },
    cookies: buildCookieSettings(services.keyring.tag('sign-in cookie', 'signature')),
    features: {
      ...disabledFeatures,
      clientCredentials: { enabled: true },
      clientIdMetadataDocument: buildClientDocumentFeature(services),
      dPoP: { enabled: true },
      resourceIndicators: buildResourceIndicators(addresses),
      revocation: {
        enabled: true,
        // RFC 7009 §2.1: only the client that the token was issued to may revoke it.
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
    },
    findAccount: async (ctx, id) => {
      const isKnown = isUserOfGrant(ctx, id) || (await findUser(services.store.records, id)) !== undefined;
      return isKnown ? { accountId: id, claims: async () => ({ sub: id }) } : undefined;
    },
    renderError,
  });
  normalizeParameters(provider, naming);
  // We set host and scheme headers ourselves before a request arrives here.
  provider.proxy = true;
  provider.Client.prototype.compareClientSecret = async function compare(secret: string) {
    return matchesSecretHash(secret, this.clientSecret ?? '');
  };
  provider.use(discardOrigin);
  explainDocumentFaults(provider);
  refineTokenErrors(provider);
  const logServerError = (error: unknown) =>
    log.event('request_failed', { code: 'oauth', ...toErrorTrace(error) });
  provider.on('server_error', (ctx, error) => {
    const isOverloaded = error instanceof ServiceError && error.code === 'overloaded';
    if (!isOverloaded) logServerError(error);
    const unavailable = isOverloaded ? error : services.store.translate(error);
    if (!unavailable) return;
    // The request itself is fine and may succeed later.
    ctx.status = unavailable.status;
    ctx.set({ ...unavailable.headers });
    ctx.body = { error: 'temporarily_unavailable', error_description: unavailable.publicMessage };
  });
  // Koa's event, missing in the engine's types; without a listener Koa would print the error message.
  (provider as EventEmitter).on('error', logServerError);
  return provider;
}

/**
 * No client runs in a page of another site, where its secret would be public, so no page may read tokens. The engine
 * would refuse every request with an Origin, which some programs send, and let every page read the other answers.
 */
async function discardOrigin(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  if (ctx.path.startsWith(oauthPaths.authorize)) return await next();
  if (ctx.headers.origin !== undefined) delete ctx.headers.origin;
  await next();
  for (const name of ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Vary'])
    ctx.remove(name);
}

const fixedSettings = {
  routes: {
    authorization: oauthPaths.authorize,
    token: oauthPaths.token,
    jwks: oauthPaths.jwks,
    revocation: oauthPaths.revoke,
  },
  scopes: [...SCOPES],
  responseTypes: ['code'],
  clientDefaults: { id_token_signed_response_alg: SERVER_SIGNING_ALGORITHM },
  enabledJWA: {
    idTokenSigningAlgValues: [SERVER_SIGNING_ALGORITHM],
    dPoPSigningAlgValues: [...DPOP_ALGORITHMS],
  },
  pkce: { required: () => true },
  interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}` },
  // A new grant for each authorization, so that one consent can be revoked without the others.
  loadExistingGrant: async ({ oidc }) => {
    const id = oidc.result?.consent?.grantId;
    return id ? await oidc.provider.Grant.find(id) : undefined;
  },
  issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  ttl: {
    AccessToken: oauthLifetimes.accessToken,
    ClientCredentials: oauthLifetimes.accessToken,
    AuthorizationCode: oauthLifetimes.authorizationCode,
    RefreshToken: oauthLifetimes.refreshToken,
    Grant: oauthLifetimes.grant,
    Interaction: oauthLifetimes.signIn,
    Session: oauthLifetimes.signIn,
    IdToken: oauthLifetimes.accessToken,
  },
} satisfies Configuration;

/** OpenID Connect features and other features that this service does not need. */
const disabledFeatures = {
  claimsParameter: { enabled: false },
  devInteractions: { enabled: false },
  introspection: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: false },
} as const;

/** Lax, because users arrive from the client's site. The cookies of one sign-in are limited to its path. */
function buildCookieSettings(key: string): NonNullable<Configuration['cookies']> {
  const attributes = { httpOnly: true, secure: true, sameSite: 'lax', signed: true } as const;
  return {
    keys: [key],
    names: { session: SIGN_IN_COOKIE, interaction: '__Secure-step', resume: '__Secure-resume' },
    long: attributes,
    short: attributes,
  };
}

/** Only the name of the API itself arrives here: see `#oauth/one-resource.ts`. */
function buildResourceIndicators({ api }: PublicAddresses) {
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

/** The engine checks the redirect address only at the start; the address may be removed before the code is used. */
function requireCurrentRedirect({ oidc }: KoaContextWithOIDC, client: Client): void {
  const { redirect_uri: uri, grant_type: grant } = (oidc.params ?? {}) as RequestParameters;
  if (uri === undefined || client.redirectUriAllowed(uri)) return;
  throw grant === undefined ? new errors.InvalidRedirectUri() : new errors.InvalidGrant(REMOVED_REDIRECT);
}

/** Otherwise the engine would silently drop unknown scopes and issue a token without any. */
function resolveRequestedScope({ oidc }: KoaContextWithOIDC, client: Client): void {
  const params = oidc.params as RequestParameters | undefined;
  const requestsScope = params?.grant_type === undefined || params.grant_type === 'client_credentials';
  if (!params || !requestsScope) return;
  params.scope ??= client.scope ?? '';
  const allowed = new Set(client.scope?.split(' '));
  for (const scope of params.scope.split(' '))
    if (!allowed.has(scope))
      throw new errors.InvalidScope(
        'the client does not have this scope; the maintainer grants scopes',
        scope,
      );
}
