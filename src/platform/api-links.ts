/** Links to the descriptions of the API, for the catalog (RFC 9727) and for the Link header of the home page. */
import type { PublicAddresses } from './addresses.ts';

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

/** RFC 8288 §3. */
export function serializeLinkHeader(addresses: PublicAddresses): string {
  const links = listApiLinks(addresses).map(
    ({ rel, href, type }) => `<${href}>; rel="${rel}"; type="${type}"`,
  );
  return [serializeCatalogLink(addresses), ...links].join(', ');
}

/** Announces the catalog itself (RFC 9727 §3). */
export function serializeCatalogLink({ catalog }: PublicAddresses): string {
  return `<${catalog}>; rel="api-catalog"; type="application/linkset+json"`;
}
