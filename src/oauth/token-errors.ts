/** Makes the general errors of the token and revocation endpoints as exact as the standards allow. */
import type { ErrorOut, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { grantTypes } from '#platform/grant-types.ts';

type TokenRefusal = readonly [error: string, description: string];

const WRONG_VERIFIER = 'code_verifier does not match code_challenge';
/** Failures of client authentication that the engine reports as faults of the request. */
const WRONG_AUTHENTICATION = /^no client authentication mechanism|authorization header/i;

const ENDED_CONSENT = 'what the person allowed has ended: ask them again';
const OTHER_KEY = 'a DPoP proof with the key that this is bound to is needed';

/** Reported by our own check in the engine's configuration. */
export const REMOVED_REDIRECT = 'the redirect address was taken from the client';

/** Keyed by the detail, which the engine only logs. */
const refusalsByDetail: Readonly<Record<string, TokenRefusal>> = {
  // RFC 7636 §4.6 leaves this open; a missing parameter does not make the code invalid.
  'code_verifier must be provided': ['invalid_request', "missing required parameter 'code_verifier'"],
  [WRONG_VERIFIER]: ['invalid_grant', `${WRONG_VERIFIER}; the code has ended`],
  'authorization code redirect_uri mismatch': [
    'invalid_grant',
    'redirect_uri is not the one of the authorization request',
  ],
  [REMOVED_REDIRECT]: ['invalid_grant', REMOVED_REDIRECT],
  'grant not found': ['invalid_grant', ENDED_CONSENT],
  'grant is expired': ['invalid_grant', ENDED_CONSENT],
  'missing DPoP proof JWT': ['invalid_grant', OTHER_KEY],
  'DPoP proof key thumbprint does not match dpop_jkt': ['invalid_grant', OTHER_KEY],
  'failed jkt verification': ['invalid_grant', OTHER_KEY],
};

/** For all other refusals, so that a stranger learns nothing about a code or a token. */
const refusalsByGrant: Readonly<Record<string, string>> = {
  authorization_code: "the code is unknown, expired, used before, or another client's",
  refresh_token: "the refresh token is unknown, expired, revoked, used before, or another client's",
};

export function refineTokenErrors(provider: Provider): void {
  const details = new WeakMap<KoaContextWithOIDC, string>();
  provider.on('grant.error', (ctx, { error_detail: detail }) => {
    if (detail !== undefined) details.set(ctx, detail);
  });
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    const route = ctx.oidc?.route;
    if (ctx.status < 400 || (route !== 'token' && route !== 'revocation')) return;
    const body = ctx.body as ErrorOut;
    if (body.error === 'invalid_client' || WRONG_AUTHENTICATION.test(body.error_description ?? '')) {
      // RFC 6749 §5.2, RFC 9110 §15.5.2.
      ctx.status = 401;
      if (!ctx.response.get('www-authenticate'))
        ctx.set('www-authenticate', `Basic realm="${provider.issuer}"`);
      ctx.body = { ...body, error: 'invalid_client' };
    }
    if (ctx.status !== 400 || route !== 'token') return;
    const detail = details.get(ctx);
    if (detail === WRONG_VERIFIER) await endCode(provider, ctx);
    const refusal = findTokenRefusal(ctx, body.error, detail);
    if (refusal) ctx.body = { error: refusal[0], error_description: refusal[1] };
  });
}

/** Anyone who has the code but not the verifier gets one attempt only. */
async function endCode({ AuthorizationCode }: Provider, { oidc }: KoaContextWithOIDC): Promise<void> {
  const code = await AuthorizationCode.find(String(oidc.params?.['code']));
  await code?.destroy();
}

function findTokenRefusal(
  { oidc, headers }: KoaContextWithOIDC,
  error: string | undefined,
  detail = '',
): TokenRefusal | null {
  const { client } = oidc;
  const grantType = String(oidc.params?.['grant_type']);
  if (!client || !grantTypes.some((known) => known === grantType)) return null;
  // RFC 6749 §5.2.
  if (!client.grantTypeAllowed(grantType))
    return ['unauthorized_client', 'this grant is not allowed for this client'];
  // RFC 9449 §5.
  if (client['dpopBoundAccessTokens'] && headers['dpop'] === undefined)
    return ['invalid_dpop_proof', 'this client must send a DPoP proof'];
  if (error !== 'invalid_grant') return null;
  return refusalsByDetail[detail] ?? [error, refusalsByGrant[grantType] ?? detail];
}
