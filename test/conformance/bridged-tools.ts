/** The tools that a bridge from OpenAPI to MCP, which runs in its own process, offers to a model. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installTools } from '#test/flows/third-party-tools.ts';

export interface BridgedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> };
}

export async function listBridgedTools(
  descriptionFile: string,
  api: string,
): Promise<readonly BridgedTool[]> {
  const program = join(await installTools(), '@ivotoby/openapi-mcp-server', 'bin', 'mcp-server.js');
  const args = [program, '--api-base-url', api, '--openapi-spec', descriptionFile, '--transport', 'stdio'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result } = JSON.parse(line) as { id?: number; result?: { tools: BridgedTool[] } };
      if (id === 1) {
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/list' });
      }
      if (id === 2) return result?.tools ?? [];
    }
    return [];
  } finally {
    child.kill();
    await once(child, 'close');
  }
}
