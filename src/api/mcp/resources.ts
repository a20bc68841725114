/** The resources of the MCP endpoint: documents of this site that a model may want to read. */
import { buildPricing } from '#api/pricing.ts';
import type { Services } from '#services.ts';

/** Texts from `src/agents/documents`. */
export interface AgentDocuments {
  readonly readInstructions: () => Promise<string>;
  readonly readSealing: () => Promise<string>;
  /** The guide from a question to its finding, for a model that calls tools. */
  readonly readToolSteps: () => Promise<string>;
}

interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly read: () => string | Promise<string>;
}

export function listResourceEntries(
  services: Pick<Services, 'addresses' | 'terms'>,
  { readInstructions, readSealing }: Pick<AgentDocuments, 'readInstructions' | 'readSealing'>,
): readonly McpResource[] {
  const { addresses } = services;
  return [
    {
      uri: addresses.registration,
      name: 'auth.md',
      title: 'Access for agents',
      description: 'How a program registers, gets a token and uses it, over HTTP or here.',
      mimeType: 'text/markdown',
      read: readInstructions,
    },
    {
      uri: addresses.sealing,
      name: 'sealing.md',
      title: 'Sealing',
      description:
        'How a program seals an inquiry and opens its finding, so that no one in between can read them.',
      mimeType: 'text/markdown',
      read: readSealing,
    },
    {
      uri: `${addresses.api}/pricing`,
      name: 'pricing',
      title: 'Prices and terms',
      description: 'The tiers with their prices, and the terms in force; the same as get_pricing.',
      mimeType: 'application/json',
      read: () => JSON.stringify(buildPricing(services)),
    },
  ];
}
