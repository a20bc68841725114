/** The API catalog (RFC 9727): the address of the API and its descriptions, as a linkset (RFC 9264). */
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import { listApiLinks, serializeCatalogLink } from '#platform/api-links.ts';
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
  const links = Map.groupBy(listApiLinks(addresses), ({ rel }) => rel);
  const relations = [...links].map(([rel, targets]) => [
    rel,
    targets.map(({ href, type }) => ({ href, type })),
  ]);
  return { linkset: [{ anchor: addresses.api, ...Object.fromEntries(relations) }] };
}
