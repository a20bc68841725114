/** Every tool of the MCP endpoint. */
import { caseTools } from './case-tools.ts';
import { conversationTools } from './conversation-tools.ts';
import { purchaseTools } from './purchase-tools.ts';
import type { McpTool } from './tool.ts';

export const mcpTools: readonly McpTool[] = [...purchaseTools, ...caseTools, ...conversationTools];

const byName = new Map(mcpTools.map((tool) => [tool.name, tool]));

export function findTool(name: unknown): McpTool | undefined {
  return typeof name === 'string' ? byName.get(name) : undefined;
}
