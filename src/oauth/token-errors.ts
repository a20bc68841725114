/** Replaces the engine's general token errors with the more exact codes that the standards define. */
import type { KoaContextWithOIDC } from 'oidc-provider';
import { grantTypes } from '#platform/grant-types.ts';

type Refusal = readonly [error: string, description: string];

export async function refineTokenErrors(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const refusal = ctx.status === 400 && ctx.oidc?.route === 'token' ? findTokenRefusal(ctx) : null;
  if (refusal) ctx.body = { error: refusal[0], error_description: refusal[1] };
}

function findTokenRefusal({ oidc, headers }: KoaContextWithOIDC): Refusal | null {
  const { client } = oidc;
  const grantType = oidc.params?.['grant_type'];
  if (!client || !grantTypes.some((known) => known === grantType)) return null;
  // RFC 6749 §5.2.
  if (!client.grantTypeAllowed(String(grantType)))
    return ['unauthorized_client', 'this grant is not allowed for this client'];
  // RFC 9449 §5.
  if (client['dpopBoundAccessTokens'] && headers['dpop'] === undefined)
    return ['invalid_dpop_proof', 'this client must send a DPoP proof'];
  return null;
}
