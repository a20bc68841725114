/** The API catalogue (RFC 9727): the API and its MCP endpoint as a linkset (RFC 9264). Served at the API too. */
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import { type ApiLink, listApiLinks, listMcpLinks, serializeCatalogLink } from '#platform/api-links.ts';
import type { App } from '#platform/http/app.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

const TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

export function addApiCatalogRoutes(app: App, addresses: PublicAddresses): void {
  for (const path of [agentPaths.catalog, addresses.apiPath])
    addPublicDocumentRoutes(app, {
      path,
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
    targets.map(({ rel: _rel, ...target }) => target),
  ]);
  return Object.fromEntries(relations) as Readonly<Record<ApiLink['rel'], unknown>>;
}
