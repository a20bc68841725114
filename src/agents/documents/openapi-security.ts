/** The OpenAPI security schemes, and the requirements of each operation. */
import type { PublicAddresses } from '#platform/addresses.ts';
import type { RouteAccess } from '#platform/http/app.ts';
import { type Scope, scopeDescriptions } from '#platform/scopes.ts';

export function buildSecuritySchemes({ oauth }: PublicAddresses) {
  return {
    oauth: {
      type: 'oauth2',
      description:
        'Tokens of this site’s own authorization server, sent as `Authorization: Bearer …`. PKCE with S256 is required.',
      flows: {
        authorizationCode: {
          authorizationUrl: oauth.authorize,
          tokenUrl: oauth.token,
          refreshUrl: oauth.token,
          scopes: scopeDescriptions,
        },
        clientCredentials: { tokenUrl: oauth.token, scopes: scopeDescriptions },
      },
    },
    dpop: {
      type: 'http',
      scheme: 'DPoP',
      description:
        'The same tokens, bound to a key: `Authorization: DPoP …` with a new proof in the `DPoP` header (RFC 9449).',
    },
  };
}

type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export function toSecurityRequirements(access: RouteAccess = 'public'): readonly SecurityRequirement[] {
  // The desk's operations are in no document of the public.
  if (access === 'public' || access === 'desk') return [];
  if (access === 'token') return createTokenRequirements([]);
  if (typeof access === 'string') return createTokenRequirements([access]);
  return [{}, ...createTokenRequirements(access.optional === 'token' ? [] : [access.optional])];
}

function createTokenRequirements(scopes: readonly Scope[]): readonly SecurityRequirement[] {
  // Scopes are of OAuth: linters refuse them beside a scheme of HTTP.
  return [{ oauth: scopes }, { dpop: [] }];
}
