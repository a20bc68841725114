/** One resource with several names: the engine only ever sees one of them, so a grant for one is valid for all. */
import { type AdapterPayload, errors, type Provider } from 'oidc-provider';
import type { PublicAddresses } from '#platform/addresses.ts';
import { oauthResponseModes } from '#platform/grant-types.ts';

interface AuthorizationParameters {
  readonly response_type?: string;
  readonly response_mode?: string;
  readonly scope?: string;
  resource?: string | readonly string[];
}

const OFFLINE_ACCESS = 'offline_access';

export type ResourceNaming = ReturnType<typeof createResourceNaming>;

/** Leaves other names unchanged; they are refused later. */
export function createResourceNaming({ api, resources }: Pick<PublicAddresses, 'api' | 'resources'>) {
  const known = new Set(resources.map(({ identifier }) => normalizeUri(identifier)));
  const toCanonicalName = (name: string) => (known.has(normalizeUri(name)) ? api : name);
  return {
    toCanonicalName,
    /** Several names that mean the same become one. */
    toCanonicalNames: (names: string | readonly string[]): string | string[] => {
      const canonical = [...new Set([names].flat().map(toCanonicalName))];
      return canonical.length === 1 ? canonical.join('') : canonical;
    },
  };
}

/** RFC 3986 §6.2.2: capitals, a default port or a trailing slash do not make another resource. */
function normalizeUri(text: string): string {
  const url = /^[\x21-\x7e]+$/.test(text) && !/[#?@\\]/.test(text) ? URL.parse(text) : null;
  return url ? url.origin + url.pathname.replace(/\/$/, '') : text;
}

/** Sees all parameters before the engine uses them, from a request or from a resumed sign-in. */
export function normalizeParameters({ OIDCContext }: Provider, naming: ResourceNaming): void {
  const stored = new WeakMap<object, AuthorizationParameters>();
  Object.defineProperty(OIDCContext.prototype, 'params', {
    get(this: object) {
      return stored.get(this);
    },
    set(this: { readonly route?: string }, params: AuthorizationParameters) {
      if (this.route === 'authorization') requireClearAuthorization(params);
      if (params.resource !== undefined) params.resource = naming.toCanonicalNames(params.resource);
      stored.set(this, params);
    },
  });
}

/** Earlier versions stored each name as a separate resource. */
export function normalizePayload(payload: AdapterPayload, naming: ResourceNaming): AdapterPayload {
  const { resource, resources } = payload as AdapterPayload & {
    readonly resource?: string | readonly string[];
    readonly resources?: Readonly<Record<string, string>>;
  };
  if (resource === undefined && resources === undefined) return payload;
  return {
    ...payload,
    ...(resource === undefined ? {} : { resource: naming.toCanonicalNames(resource) }),
    ...(resources === undefined ? {} : { resources: joinScopes(resources, naming) }),
  };
}

function joinScopes(
  resources: Readonly<Record<string, string>>,
  { toCanonicalName }: ResourceNaming,
): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, scope] of Object.entries(resources)) {
    const canonical = toCanonicalName(name);
    joined[canonical] = [...new Set(`${joined[canonical] ?? ''} ${scope}`.trim().split(' '))].join(' ');
  }
  return joined;
}

function requireClearAuthorization({
  response_type: type,
  response_mode: mode,
  scope,
}: AuthorizationParameters): void {
  // The engine would answer with a page that needs a script, which our content security policy refuses.
  if (mode === 'form_post') {
    const modes = oauthResponseModes.join(' or ');
    const text = `response_mode form_post is not supported; use ${modes}`;
    // Shown on our own page, because a client that asks for a POST would hardly understand a redirect.
    throw Object.assign(new errors.UnsupportedResponseMode(text), { allow_redirect: false });
  }
  if (type === undefined) throw new errors.InvalidRequest("missing required parameter 'response_type'");
  // Without `prompt=consent` the engine drops this scope, as OpenID Connect Core 1.0 §11 says.
  if (typeof scope === 'string' && scope.split(' ').includes(OFFLINE_ACCESS))
    throw new errors.InvalidScope('requested scope is not allowed', OFFLINE_ACCESS);
}
