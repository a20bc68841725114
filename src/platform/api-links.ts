/** The links that describe the API: for its catalogue (RFC 9727), the Link header of the home page, and llms.txt. */
import { agentPaths, type PublicAddresses } from './addresses.ts';

export interface ApiLink {
  readonly rel: 'service-desc' | 'service-doc' | 'service-meta' | 'status';
  readonly href: string;
  readonly type: string;
  /** Only for links that people or models may want to read. */
  readonly title?: string;
}

/** RFC 8631 defines the relations. */
export function listApiLinks(addresses: PublicAddresses): readonly ApiLink[] {
  const { docs, markdown, oauth } = addresses;
  const json = 'application/json';
  const text = { rel: 'service-doc', type: 'text/markdown' } as const;
  return [
    { rel: 'service-desc', href: addresses.openapi, type: json },
    { ...text, href: addresses.registration, title: 'Access for agents: registration, tokens, every step' },
    { ...text, href: addresses.skill, title: 'A skill: the same for a model, and who may seal' },
    {
      ...text,
      href: addresses.sealing,
      title: 'Sealing an inquiry and opening its finding, in any language',
    },
    { ...text, href: markdown(agentPaths.docs), title: 'API reference: every operation, with examples' },
    { rel: 'service-doc', href: docs, type: 'text/html' },
    { rel: 'service-doc', href: addresses.llms, type: 'text/plain' },
    { rel: 'service-doc', href: addresses.llmsFull, type: 'text/plain' },
    { rel: 'service-meta', href: oauth.serverMetadata, type: json },
    { rel: 'service-meta', href: oauth.resourceMetadata, type: json },
    { rel: 'service-meta', href: addresses.skills, type: json },
    { rel: 'service-meta', href: addresses.sealingVectors, type: json },
    { rel: 'status', href: `${addresses.api}/health`, type: json },
  ];
}

export const SERVER_CARD_TYPE = 'application/mcp-server-card+json';

/** The links for the MCP endpoint, which describes itself to clients of its protocol. */
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

/** RFC 8288 §3. Only the first link of each relation: the catalogue has the others. */
export function serializeLinkHeader(addresses: PublicAddresses): string {
  const all = listApiLinks(addresses);
  const links = all.filter((link) => all.find(({ rel }) => rel === link.rel) === link).map(serializeLink);
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
