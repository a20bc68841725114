/** Every public URL of the service, built from the configuration and never from a request. */
import type { Config } from './config/config.ts';

/** The OAuth endpoints; the specification fixes the paths of revocation and claims. */
export const oauthPaths = {
  authorize: '/oauth2/authorize',
  token: '/oauth2/token',
  jwks: '/oauth2/jwks',
  revoke: '/hcgi/platform/api/oauth2/revoke',
  claims: '/hcgi/platform/api/collections/users/auth-refresh',
  serverMetadata: '/.well-known/oauth-authorization-server',
  resourceMetadata: '/.well-known/oauth-protected-resource',
} as const;

/** The documents that agents read, and the endpoints where they register. */
export const agentPaths = {
  instructions: '/auth.md',
  registrations: '/agents/registrations',
  credentials: '/agents/credentials',
  openapi: '/openapi.json',
  catalog: '/.well-known/api-catalog',
  docs: '/docs',
  llms: '/llms.txt',
  llmsFull: '/llms-full.txt',
  skills: '/.well-known/agent-skills/index.json',
  skill: '/.well-known/agent-skills/confidential-inquiry/SKILL.md',
  sealing: '/sealing.md',
  sealingVectors: '/sealing-vectors.json',
  mcp: '/mcp',
  /** SEP-2127 reserves the first path for the server card; many clients look for the card at the second. */
  serverCard: '/mcp/server-card',
  wellKnownCard: '/.well-known/mcp/server-card.json',
} as const;

/** Where a payer arrives after paying for an order that a program made. */
export const PAID_FOR_PROGRAM_PATH = '/payment-received';
/** Where the link in the e-mail to a payer leads; the name reveals nothing to others who see the e-mail. */
export const RETURN_LINK_PATH = '/continue';

/** The permanent path of a version of the terms. */
export function buildTermsPath(version: string): string {
  return `/terms/${version}`;
}

/** Where programs read a page as Markdown. */
export function buildMarkdownPath(path: string): string {
  return `${path === '/' ? '/index' : path}.md`;
}

export type PublicAddresses = ReturnType<typeof buildPublicAddresses>;

export function buildPublicAddresses({ site }: Pick<Config, 'site'>) {
  const resources = listResources(site);
  const credentialPaths = [site.apiPath, '/oauth2', '/hcgi', agentPaths.registrations, agentPaths.mcp];
  const isForPrograms = (path: string) => credentialPaths.some((prefix) => isBelow(path, prefix));
  return Object.freeze({
    site: site.url,
    maintainer: site.maintainer,
    apiPath: site.apiPath,
    api: site.url + site.apiPath,
    /** The names of the one protected resource; each has its own metadata document (RFC 9728 §3.1). */
    resources,
    /** The metadata address of the resource that a path belongs to: the one with the longest matching prefix. */
    resourceMetadataFor: (path: string) =>
      resources.findLast((resource) => isBelow(path, resource.path))?.metadata ?? '',
    /** Programs send credentials to these paths: never redirect them from plain HTTP. */
    isForPrograms,
    /** Of the paths for programs, people open only the authorization endpoint. */
    mayAnswerPage: (path: string) => isBelow(path, oauthPaths.authorize) || !isForPrograms(path),
    paymentCancelled: `${site.url}/payment-cancelled`,
    /** Concatenated: a URL builder would encode the provider's placeholder for the id (specification 4.3). */
    inquiryAfterPayment: (tier: string, sessionId: string) =>
      `${site.url}/inquiry?tier=${encodeURIComponent(tier)}&session_id=${sessionId}`,
    returnLink: (token: string) => `${site.url}${RETURN_LINK_PATH}/${token}`,
    terms: (version: string) => site.url + buildTermsPath(version),
    oauth: prefixPaths(site.url, oauthPaths),
    ...prefixPaths(site.url, agentPaths),
    registration: `${site.url}${agentPaths.instructions}`,
    registrationStatus: (id: string) => `${site.url}${agentPaths.registrations}/${id}`,
    /** The link in the approval e-mail; it opens a page that shows the credentials once. */
    credentialsLink: (link: string) => `${site.url}${agentPaths.credentials}/${link}`,
    markdown: (path: string) => site.url + buildMarkdownPath(path),
    problem: (code: string) => `${site.url}/problems/${code}`,
  });
}

function prefixPaths<Name extends string>(url: string, paths: Readonly<Record<Name, string>>) {
  const entries = Object.entries<string>(paths).map(([name, path]) => [name, url + path]);
  return Object.fromEntries(entries) as Readonly<Record<Name, string>>;
}

/** By the prefix of their paths. The whole site comes first: a later one that matches a path takes precedence. */
function listResources({ url, apiPath }: Config['site']) {
  return ['', apiPath, agentPaths.mcp].map((path) => ({
    path,
    identifier: url + path,
    metadata: url + oauthPaths.resourceMetadata + path,
  }));
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
