/** The authorization server metadata (RFC 8414), with the `agent_auth` block of the specification, and its key set. */
import { DPOP_ALGORITHMS } from '#oauth/dpop-algorithms.ts';
import { oauthPaths } from '#platform/addresses.ts';
import { grantTypes, listClientAuthMethods, oauthResponseModes } from '#platform/grant-types.ts';
import type { App } from '#platform/http/app.ts';
import { createLazy } from '#platform/lazy.ts';
import { SCOPES } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { CREDENTIAL_TYPES, IDENTITY_TYPES } from '#store/schema/column-values.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

/** Loaded when first needed: it generates keys, which the start does not need. */
const loadKeyModule = createLazy(() => import('#oauth/signing-key.ts'));

type DescribedServices = Pick<Services, 'addresses' | 'clientDocumentHosts'>;

export function addAuthorizationServerRoutes(app: App, services: DescribedServices): void {
  addPublicDocumentRoutes(app, {
    path: oauthPaths.serverMetadata,
    type: 'application/json',
    createText: () => serializeJson(buildAuthorizationServerMetadata(services)),
  });
}

/** Built here, because the OAuth engine supports more than this service offers. */
export function buildAuthorizationServerMetadata({ addresses, clientDocumentHosts }: DescribedServices) {
  const { site, resources, oauth, registration } = addresses;
  const authMethods = listClientAuthMethods(clientDocumentHosts);
  return {
    issuer: site,
    authorization_endpoint: oauth.authorize,
    token_endpoint: oauth.token,
    jwks_uri: oauth.jwks,
    revocation_endpoint: oauth.revoke,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: oauthResponseModes,
    grant_types_supported: grantTypes,
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    ...(clientDocumentHosts.length > 0 && { client_id_metadata_document_supported: true }),
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    protected_resources: resources.map(({ identifier }) => identifier),
    service_documentation: registration,
    agent_auth: {
      register_uri: registration,
      supported_identity_types: IDENTITY_TYPES,
      credential_types: CREDENTIAL_TYPES,
      claims_endpoint: oauth.claims,
      revocation_uri: oauth.revoke,
    },
  };
}

/** Served here rather than by the engine, whose response cannot be cached. */
export function addKeySetRoutes(app: App, services: Pick<Services, 'keyring' | 'store'>): void {
  addPublicDocumentRoutes(app, {
    path: oauthPaths.jwks,
    type: 'application/jwk-set+json',
    createText: async () => {
      const { loadSigningKey } = await loadKeyModule();
      const { kty, crv, x, y, kid, alg, use } = await loadSigningKey(services);
      return serializeJson({ keys: [{ kty, crv, x, y, kid, alg, use }] });
    },
  });
}
