/** Every public address of the service; built from the configuration alone, never from a request. */
import type { Config } from './config.ts';

/** Where programs speak OAuth; revocation and claims stand where the specification puts them. */
export const oauthPaths = {
  authorize: '/oauth2/authorize',
  token: '/oauth2/token',
  jwks: '/oauth2/jwks',
  revoke: '/hcgi/platform/api/oauth2/revoke',
  claims: '/hcgi/platform/api/collections/users/auth-refresh',
  serverMetadata: '/.well-known/oauth-authorization-server',
  resourceMetadata: '/.well-known/oauth-protected-resource',
} as const;

/** What agents read, and where they register. */
export const agentPaths = {
  instructions: '/auth.md',
  registrations: '/agents/registrations',
  credentials: '/agents/credentials',
  openapi: '/openapi.json',
  catalog: '/.well-known/api-catalog',
  docs: '/docs',
  llms: '/llms.txt',
} as const;

export type PublicAddresses = ReturnType<typeof buildPublicAddresses>;

export function buildPublicAddresses({ site }: Pick<Config, 'site'>) {
  const credentialPaths = [site.apiPath, '/oauth2', '/hcgi', agentPaths.registrations];
  return Object.freeze({
    site: site.url,
    apiPath: site.apiPath,
    api: site.url + site.apiPath,
    /** Where programs send credentials: never redirected from plain HTTP, never answered with a page. */
    isForPrograms: (path: string) =>
      credentialPaths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
    paymentCancelled: `${site.url}/payment-cancelled`,
    /** Joined as text: a URL builder would encode the braces that the provider looks for. */
    inquiryAfterPayment: (tier: string) =>
      `${site.url}/inquiry?tier=${encodeURIComponent(tier)}&session_id={CHECKOUT_SESSION_ID}`,
    oauth: {
      authorize: `${site.url}${oauthPaths.authorize}`,
      token: `${site.url}${oauthPaths.token}`,
      jwks: `${site.url}${oauthPaths.jwks}`,
      revoke: `${site.url}${oauthPaths.revoke}`,
      claims: `${site.url}${oauthPaths.claims}`,
      serverMetadata: `${site.url}${oauthPaths.serverMetadata}`,
      resourceMetadata: `${site.url}${oauthPaths.resourceMetadata}`,
    },
    registration: `${site.url}${agentPaths.instructions}`,
    registrationStatus: (id: string) => `${site.url}${agentPaths.registrations}/${id}`,
    /** For a letter: opens a page that shows credentials once. */
    credentialsLink: (link: string) => `${site.url}${agentPaths.credentials}/${link}`,
    openapi: `${site.url}${agentPaths.openapi}`,
    catalog: `${site.url}${agentPaths.catalog}`,
    docs: `${site.url}${agentPaths.docs}`,
    problem: (code: string) => `${site.url}/problems/${code}`,
  });
}
