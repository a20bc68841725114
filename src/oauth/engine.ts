/** The certified engine behind the OAuth endpoints, set up as this service wants it. */
import type { EventEmitter } from 'node:events';
import { type Configuration, type ErrorOut, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { isSecret } from '#clients/clients.ts';
import { clientAuthMethods } from '#clients/grant-types.ts';
import { lifetimes } from '#clients/lifetimes.ts';
import { oauthPaths } from '#platform/addresses.ts';
import type { ServiceError } from '#platform/errors.ts';
import { traceOf } from '#platform/log.ts';
import { scopes } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { findUser } from '#store/users.ts';
import { adapterFor } from './adapter.ts';
import { DPOP_ALGORITHMS } from './dpop-algorithms.ts';
import { resourceIndicators } from './requested-scope.ts';
import { SESSION_COOKIE } from './session-cookie.ts';
import { SIGNING_ALGORITHM, signingKey } from './signing-key.ts';
import { exactTokenErrors } from './token-errors.ts';

export type RenderError = (ctx: KoaContextWithOIDC, error: ErrorOut) => void;

export async function startEngine(
  services: Pick<Services, 'addresses' | 'clock' | 'log' | 'keyring' | 'store'>,
  renderError: RenderError,
): Promise<Provider> {
  const { addresses, log } = services;
  const provider = new Provider(addresses.site, {
    ...fixed,
    adapter: adapterFor(services),
    jwks: { keys: [await signingKey(services)] },
    cookies: cookies(services.keyring.tag('sign-in cookie', 'signature')),
    features: {
      ...switchedOff,
      clientCredentials: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: resourceIndicators(addresses),
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
    return isSecret(shown, this.clientSecret ?? '');
  };
  provider.use(exactTokenErrors);
  const complain = (error: unknown) => log.event('request_failed', { code: 'oauth', ...traceOf(error) });
  provider.on('server_error', (ctx, error) => {
    complain(error);
    const away = services.store.translate(error);
    if (away) showAway(ctx, away);
  });
  // Koa's own event, which the engine's types do not list; unheard, it would be printed with its message.
  (provider as EventEmitter).on('error', complain);
  return provider;
}

/** Not the request is at fault: the same one may work in a while. */
function showAway(ctx: KoaContextWithOIDC, { status, headers, publicMessage }: ServiceError): void {
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
  scopes: [...scopes],
  responseTypes: ['code'],
  clientAuthMethods: [...clientAuthMethods],
  clientDefaults: { id_token_signed_response_alg: SIGNING_ALGORITHM },
  enabledJWA: {
    idTokenSigningAlgValues: [SIGNING_ALGORITHM],
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
    AccessToken: lifetimes.accessToken,
    ClientCredentials: lifetimes.accessToken,
    AuthorizationCode: lifetimes.authorizationCode,
    RefreshToken: lifetimes.refreshToken,
    Grant: lifetimes.grant,
    Interaction: lifetimes.signIn,
    Session: lifetimes.signIn,
    IdToken: lifetimes.accessToken,
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
function cookies(key: string): NonNullable<Configuration['cookies']> {
  const rules = { httpOnly: true, secure: true, sameSite: 'lax', signed: true } as const;
  return {
    keys: [key],
    names: { session: SESSION_COOKIE, interaction: '__Secure-step', resume: '__Secure-resume' },
    long: rules,
    short: rules,
  };
}
