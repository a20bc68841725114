/** The server card of the MCP endpoint (SEP-2127): its identity and address. The endpoint lists its tools itself. */
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import { SERVER_CARD_TYPE } from '#platform/api-links.ts';
import { VERSION } from '#platform/config/version.ts';
import type { App } from '#platform/http/app.ts';
import { addPublicDocumentRoutes, serializeJson } from './public-document.ts';

/** The current revision and the earlier ones with this transport. JSON-RPC batches, only in the oldest, are refused. */
const PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;

export function addServerCardRoutes(app: App, addresses: PublicAddresses, siteName: string): void {
  for (const path of [agentPaths.serverCard, agentPaths.wellKnownCard])
    addPublicDocumentRoutes(app, {
      path,
      type: SERVER_CARD_TYPE,
      createText: () => serializeJson(buildServerCard(addresses, siteName)),
    });
}

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
