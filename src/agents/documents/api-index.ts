/** The index at the address of the API itself: where everything about it is. */
import type { PublicAddresses } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

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
