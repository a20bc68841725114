/** Links to the descriptions of the API, for the catalog (RFC 9727) and for the Link header of the home page. */
import { agentPaths, type PublicAddresses } from './addresses.ts';

export interface ApiLink {
  readonly rel: 'service-desc' | 'service-doc' | 'service-meta' | 'status';
  readonly href: string;
  readonly type: string;
}

/** RFC 8631 defines the relations. */
export function listApiLinks({
  openapi,
  docs,
  registration,
  sealing,
  oauth,
  api,
}: PublicAddresses): readonly ApiLink[] {
  return [
    { rel: 'service-desc', href: openapi, type: 'application/json' },
    { rel: 'service-doc', href: docs, type: 'text/html' },
    { rel: 'service-doc', href: registration, type: 'text/markdown' },
    { rel: 'service-doc', href: sealing, type: 'text/markdown' },
    { rel: 'service-meta', href: oauth.serverMetadata, type: 'application/json' },
    { rel: 'service-meta', href: oauth.resourceMetadata, type: 'application/json' },
    { rel: 'status', href: `${api}/health`, type: 'application/json' },
  ];
}

export const SERVER_CARD_TYPE = 'application/mcp-server-card+json';

/** The same for the MCP endpoint, which describes itself to clients of its protocol. */
export function listMcpLinks({
  serverCard,
  registration,
  resourceMetadataFor,
}: PublicAddresses): readonly ApiLink[] {
  return [
    { rel: 'service-desc', href: serverCard, type: SERVER_CARD_TYPE },
    { rel: 'service-doc', href: registration, type: 'text/markdown' },
    { rel: 'service-meta', href: resourceMetadataFor(agentPaths.mcp), type: 'application/json' },
  ];
}

/** RFC 8288 §3. */
export function serializeLinkHeader(addresses: PublicAddresses): string {
  const links = listApiLinks(addresses).map(serializeLink);
  const mcpLinks = listMcpLinks(addresses).map((link) => `${serializeLink(link)}; anchor="${addresses.mcp}"`);
  return [serializeCatalogLink(addresses), ...links, ...mcpLinks].join(', ');
}

function serializeLink({ rel, href, type }: ApiLink): string {
  return `<${href}>; rel="${rel}"; type="${type}"`;
}

/** Announces the catalog itself (RFC 9727 §3). */
export function serializeCatalogLink({ catalog }: PublicAddresses): string {
  return `<${catalog}>; rel="api-catalog"; type="application/linkset+json"`;
}
