/** The OpenAPI security schemes, and the requirements of each operation. */
import type { PublicAddresses } from '#platform/addresses.ts';
import type { RouteAccess } from '#platform/http/app.ts';
import { SCOPES, type Scope } from '#platform/scopes.ts';

/** As in specification 5.3. */
export const scopeDescriptions: Readonly<Record<Scope, string>> = {
  'case:read': 'Read the caller’s own cases, their messages and their findings.',
  'case:write': 'Buy a tier, submit an inquiry, write messages, list the caller’s own orders.',
  'contact:write': 'Send a contact message.',
  'pricing:read': 'Read prices and whether payments are active.',
};

export function buildSecuritySchemes({ oauth }: PublicAddresses) {
  const scopes = Object.fromEntries(SCOPES.map((scope) => [scope, scopeDescriptions[scope]]));
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
          scopes,
        },
        clientCredentials: { tokenUrl: oauth.token, scopes },
      },
    },
    dpop: {
      type: 'http',
      scheme: 'DPoP',
      description:
        'The same tokens, bound to a key: `Authorization: DPoP …` with a new proof in the `DPoP` header (RFC 9449).',
    },
    registration: {
      type: 'http',
      scheme: 'bearer',
      description: 'The registration token, returned once in the response to a registration.',
    },
  };
}

type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export function toSecurityRequirements(access: RouteAccess = 'public'): readonly SecurityRequirement[] {
  if (access === 'public') return [];
  if (access === 'token') return createTokenRequirements([]);
  return typeof access === 'string'
    ? createTokenRequirements([access])
    : [{}, ...createTokenRequirements([access.optional])];
}

function createTokenRequirements(scopes: readonly Scope[]): readonly SecurityRequirement[] {
  return [{ oauth: scopes }, { dpop: scopes }];
}
