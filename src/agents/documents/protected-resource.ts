/** The protected resource metadata (RFC 9728), for the site's origin and for the API's own path. */
import { DPOP_ALGORITHMS } from '#oauth/dpop-algorithms.ts';
import { oauthPaths, type PublicAddresses } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { SCOPES } from '#platform/scopes.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

export function addProtectedResourceRoutes(app: App, addresses: PublicAddresses, siteName: string): void {
  const { site, api, apiPath } = addresses;
  const addMetadataRoutes = (path: string, resource: string): void => {
    addPublicDocumentRoutes(app, {
      path,
      type: 'application/json',
      createText: () => serializeJson(buildProtectedResourceMetadata(resource, addresses, siteName)),
    });
  };
  addMetadataRoutes(oauthPaths.resourceMetadata, site);
  addMetadataRoutes(oauthPaths.resourceMetadata + apiPath, api);
}

export function buildProtectedResourceMetadata(
  resource: string,
  { site, docs }: PublicAddresses,
  siteName: string,
) {
  return {
    resource,
    resource_name: siteName,
    resource_documentation: docs,
    authorization_servers: [site],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    dpop_bound_access_tokens_required: false,
  };
}
