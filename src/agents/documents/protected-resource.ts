/** The protected resource metadata (RFC 9728), one document for each name of the resource. */
import { DPOP_ALGORITHMS } from '#oauth/dpop-algorithms.ts';
import { oauthPaths, type PublicAddresses } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { SCOPES } from '#platform/scopes.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

export function addProtectedResourceRoutes(app: App, addresses: PublicAddresses, siteName: string): void {
  for (const { path, identifier } of addresses.resources)
    addPublicDocumentRoutes(app, {
      path: oauthPaths.resourceMetadata + path,
      type: 'application/json',
      createText: () => serializeJson(buildProtectedResourceMetadata(identifier, addresses, siteName)),
    });
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
