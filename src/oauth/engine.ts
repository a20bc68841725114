/** The certified engine behind the OAuth endpoints, set up as this service wants it. */
import type { EventEmitter } from 'node:events';
import { type Configuration, type ErrorOut, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { matchesSecretHash } from '#clients/clients.ts';
import { clientAuthMethods } from '#clients/grant-types.ts';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { oauthPaths } from '#platform/addresses.ts';
import type { ServiceError } from '#platform/errors.ts';
import { toErrorTrace } from '#platform/log.ts';
import { SCOPES } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { findUser } from '#store/users.ts';
import { createOidcAdapterFactory } from './adapter.ts';
import { DPOP_ALGORITHMS } from './dpop-algorithms.ts';
import { buildResourceIndicators } from './requested-scope.ts';
import { SIGN_IN_COOKIE } from './session-cookie.ts';
import { loadSigningKey, SERVER_SIGNING_ALGORITHM } from './signing-key.ts';
import { refineTokenErrors } from './token-errors.ts';

export type OAuthErrorRenderer = (ctx: KoaContextWithOIDC, error: ErrorOut) => void;

export async function createOidcProvider(
  services: Pick<Services, 'addresses' | 'clock' | 'log' | 'keyring' | 'store'>,
  renderError: OAuthErrorRenderer,
): Promise<Provider> {
  const { addresses, log } = services;
  const provider = new Provider(addresses.site, {
    ...fixed,
    adapter: createOidcAdapterFactory(services),
    jwks: { keys: [await loadSigningKey(services)] },
    cookies: buildCookieSettings(services.keyring.tag('sign-in cookie', 'signature')),
    features: {
      ...switchedOff,
      clientCredentials: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: buildResourceIndicators(addresses),
      revocation: {
        enabled: true,
        // RFC 7009 §2.1: only the client that a token was issued to.
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
    },
    findAccount: async (_ctx, id) =>
      (await findUser(services.store.records, id)) && { accountId: id, claims: async () => ({ sub: id }) },
    renderError: (ctx, out) => renderError(ctx, out),
  });
  // Host and scheme are pinned before a request arrives here, so these headers are our own.
  provider.proxy = true;
  provider.Client.prototype.compareClientSecret = async function compare(shown: string) {
    return matchesSecretHash(shown, this.clientSecret ?? '');
  };
  provider.use(refineTokenErrors);
  const logServerError = (error: unknown) =>
    log.event('request_failed', { code: 'oauth', ...toErrorTrace(error) });
  provider.on('server_error', (ctx, error) => {
    logServerError(error);
    const away = services.store.translate(error);
    if (away) writeUnavailableAnswer(ctx, away);
  });
  // Koa's own event, which the engine's types do not list; unheard, it would be printed with its message.
  (provider as EventEmitter).on('error', logServerError);
  return provider;
}

/** Not the request is at fault: the same one may work in a while. */
function writeUnavailableAnswer(
  ctx: KoaContextWithOIDC,
  { status, headers, publicMessage }: ServiceError,
): void {
  ctx.status = status;
  ctx.set({ ...headers });
  ctx.body = { error: 'temporarily_unavailable', error_description: publicMessage };
}

const fixed = {
  routes: {
    authorization: oauthPaths.authorize,
    token: oauthPaths.token,
    jwks: oauthPaths.jwks,
    revocation: oauthPaths.revoke,
  },
  scopes: [...SCOPES],
  responseTypes: ['code'],
  clientAuthMethods: [...clientAuthMethods],
  clientDefaults: { id_token_signed_response_alg: SERVER_SIGNING_ALGORITHM },
  enabledJWA: {
    idTokenSigningAlgValues: [SERVER_SIGNING_ALGORITHM],
    dPoPSigningAlgValues: [...DPOP_ALGORITHMS],
  },
  pkce: { required: () => true },
  interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}` },
  // Asked anew each time, so that one consent can be taken back without the others.
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

/** What OpenID Connect has beyond OAuth, and what nobody here needs. */
const switchedOff = {
  claimsParameter: { enabled: false },
  devInteractions: { enabled: false },
  introspection: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: false },
} as const;

/** Lax, since a person arrives from the client's site. The two that belong to one sign-in have its path. */
function buildCookieSettings(key: string): NonNullable<Configuration['cookies']> {
  const rules = { httpOnly: true, secure: true, sameSite: 'lax', signed: true } as const;
  return {
    keys: [key],
    names: { session: SIGN_IN_COOKIE, interaction: '__Secure-step', resume: '__Secure-resume' },
    long: rules,
    short: rules,
  };
}
