/** The API's description as a protected resource (RFC 9728), for the site's origin and for the API's own path. */
import { DPOP_ALGORITHMS } from '#oauth/dpop-algorithms.ts';
import { type Addresses, oauthPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { scopes } from '#platform/scopes.ts';
import { addPublished, json } from './public-document.ts';

export function addProtectedResource(app: App, addresses: Addresses, siteName: string): void {
  const { site, api, apiPath } = addresses;
  const serve = (path: string, resource: string): void => {
    addPublished(app, {
      path,
      type: 'application/json',
      make: () => json(protectedResource(resource, addresses, siteName)),
    });
  };
  serve(oauthPaths.resourceMetadata, site);
  serve(oauthPaths.resourceMetadata + apiPath, api);
}

export function protectedResource(resource: string, { site, docs }: Addresses, siteName: string) {
  return {
    resource,
    resource_name: siteName,
    resource_documentation: docs,
    authorization_servers: [site],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    dpop_bound_access_tokens_required: false,
  };
}
