/** The catalog of the API (RFC 9727): where it is and what describes it, as a linkset (RFC 9264). */
import { type Addresses, agentPaths } from '#platform/addresses.ts';
import { apiLinks, catalogLink } from '#platform/api-links.ts';
import type { App } from '#platform/http/app.ts';
import { addPublished, json } from './public-document.ts';

const TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

export function addApiCatalog(app: App, addresses: Addresses): void {
  addPublished(app, {
    path: agentPaths.catalog,
    type: TYPE,
    make: () => json(apiCatalog(addresses)),
    headers: { link: catalogLink(addresses) },
  });
}

function apiCatalog(addresses: Addresses) {
  const links = Map.groupBy(apiLinks(addresses), ({ rel }) => rel);
  const relations = [...links].map(([rel, targets]) => [
    rel,
    targets.map(({ href, type }) => ({ href, type })),
  ]);
  return { linkset: [{ anchor: addresses.api, ...Object.fromEntries(relations) }] };
}
