/** The API catalog (RFC 9727): the addresses of the API and of its MCP endpoint with their descriptions, as a linkset (RFC 9264). */
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import { type ApiLink, listApiLinks, listMcpLinks, serializeCatalogLink } from '#platform/api-links.ts';
import type { App } from '#platform/http/app.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

const TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

export function addApiCatalogRoutes(app: App, addresses: PublicAddresses): void {
  addPublicDocumentRoutes(app, {
    path: agentPaths.catalog,
    type: TYPE,
    createText: () => serializeJson(buildApiCatalog(addresses)),
    headers: { link: serializeCatalogLink(addresses) },
  });
}

function buildApiCatalog(addresses: PublicAddresses) {
  return {
    linkset: [
      { anchor: addresses.api, ...groupByRelation(listApiLinks(addresses)) },
      { anchor: addresses.mcp, ...groupByRelation(listMcpLinks(addresses)) },
    ],
  };
}

function groupByRelation(links: readonly ApiLink[]) {
  const relations = [...Map.groupBy(links, ({ rel }) => rel)].map(([rel, targets]) => [
    rel,
    targets.map(({ href, type }) => ({ href, type })),
  ]);
  return Object.fromEntries(relations) as Readonly<Record<ApiLink['rel'], unknown>>;
}

/** The index at the address of the API itself: where everything about it is. */
export function addApiIndexRoutes(app: App, addresses: PublicAddresses, siteName: string): void {
  addPublicDocumentRoutes(app, {
    path: addresses.apiPath,
    type: 'application/json',
    createText: () => serializeJson(buildApiIndex(addresses, siteName)),
  });
}

function buildApiIndex({ site, api, oauth, ...addresses }: PublicAddresses, siteName: string) {
  return {
    name: siteName,
    site: `${site}/`,
    start_here: addresses.registration,
    openapi: addresses.openapi,
    reference: addresses.docs,
    sealing: addresses.sealing,
    sealing_vectors: addresses.sealingVectors,
    catalog: addresses.catalog,
    skills: addresses.skills,
    mcp: addresses.mcp,
    mcp_server_card: addresses.serverCard,
    llms_txt: addresses.llms,
    authorization_server: oauth.serverMetadata,
    protected_resource: addresses.resourceMetadataFor(addresses.apiPath),
    pricing: `${api}/pricing`,
    payment_status: `${api}/stripe/status`,
    sealing_keys: `${api}/sealing-keys`,
    health: `${api}/health`,
    ready: `${api}/ready`,
  };
}
