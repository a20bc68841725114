/** The metadata documents of the authorization server, the resource, the API and the MCP endpoint, and the key set. */
import { agentPaths, oauthPaths, type PublicAddresses } from '#platform/addresses.ts';
import {
  type ApiLink,
  listApiLinks,
  listMcpLinks,
  SERVER_CARD_TYPE,
  serializeCatalogLink,
} from '#platform/api-links.ts';
import { VERSION } from '#platform/config/version.ts';
import {
  DPOP_ALGORITHMS,
  grantTypes,
  listClientAuthMethods,
  oauthResponseModes,
} from '#platform/grant-types.ts';
import type { App } from '#platform/http/app-type.ts';
import { SCOPES } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import { CREDENTIAL_TYPES, IDENTITY_TYPES } from '#store/schema/column-values.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

const CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
/** The current revision and the earlier ones with this transport. JSON-RPC batches, only in the oldest, are refused. */
const PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;

type DescribedServices = Pick<Services, 'addresses' | 'clientDocumentHosts'>;

export function addMetadataRoutes(
  app: App,
  services: DescribedServices & Pick<Services, 'keyring' | 'store'>,
  siteName: string,
): void {
  const { addresses } = services;
  const addDocument = (path: string, type: string, build: () => unknown, headers = {}) =>
    addPublicDocumentRoutes(app, {
      path,
      type,
      createText: async () => serializeJson(await build()),
      headers,
    });
  addDocument(oauthPaths.serverMetadata, 'application/json', () =>
    buildAuthorizationServerMetadata(services),
  );
  addDocument(oauthPaths.jwks, 'application/jwk-set+json', () => buildKeySet(services));
  for (const { path, identifier } of addresses.resources)
    addDocument(oauthPaths.resourceMetadata + path, 'application/json', () =>
      buildProtectedResourceMetadata(identifier, addresses, siteName),
    );
  for (const path of [agentPaths.serverCard, agentPaths.wellKnownCard])
    addDocument(path, SERVER_CARD_TYPE, () => buildServerCard(addresses, siteName));
  const link = serializeCatalogLink(addresses);
  for (const path of [agentPaths.catalog, addresses.apiPath])
    addDocument(path, CATALOG_TYPE, () => buildApiCatalog(addresses), { link });
}

/**
 * RFC 8414, with the `agent_auth` block of the specification. Built here, because the OAuth engine supports more than
 * this service offers.
 */
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
async function buildKeySet(services: Pick<Services, 'keyring' | 'store'>) {
  // Imported when first needed: it generates keys, which the start does not need.
  const { loadSigningKey } = await import('#oauth/signing-key.ts');
  const { kty, crv, x, y, kid, alg, use } = await loadSigningKey(services);
  return { keys: [{ kty, crv, x, y, kid, alg, use }] };
}

/** RFC 9728, one document for each name of the resource. */
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

/** SEP-2127: the identity and address of the MCP endpoint, which lists its tools itself. */
function buildServerCard({ site, mcp }: PublicAddresses, siteName: string) {
  const namespace = new URL(site).hostname.split('.').toReversed().join('.');
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
    name: `${namespace}/inquiry-office`,
    version: VERSION,
    title: siteName,
    description: 'Buys a confidential inquiry, submits it, follows its case and reads the finding.',
    websiteUrl: site,
    remotes: [{ type: 'streamable-http', url: mcp, supportedProtocolVersions: PROTOCOL_VERSIONS }],
  };
}

/** RFC 9727: the API and its MCP endpoint as a linkset (RFC 9264). Served at the API too. */
function buildApiCatalog(addresses: PublicAddresses) {
  return {
    linkset: [
      { anchor: addresses.api, ...groupByRelation(listApiLinks(addresses)) },
      { anchor: addresses.mcp, ...groupByRelation(listMcpLinks(addresses)) },
    ],
  };
}

function groupByRelation(links: readonly ApiLink[]): Readonly<Record<string, unknown>> {
  const relations = [...Map.groupBy(links, ({ rel }) => rel)].map(([rel, targets]) => [
    rel,
    targets.map(({ rel: _rel, ...target }) => target),
  ]);
  return Object.fromEntries(relations);
}
