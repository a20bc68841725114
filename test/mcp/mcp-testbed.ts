/** The service as MCP clients use it: raw messages of both revisions, and agents that registered themselves. */
import assert from 'node:assert/strict';
import type { ClientCredentials } from '#clients/clients.ts';
import { approveRegistration } from '#clients/registration-decision.ts';
import type { GrantType } from '#platform/grant-types.ts';
import { SCOPES } from '#platform/scopes.ts';
import { registerSampleAgent } from '#test/agents/sample-registration.ts';
import { type ApiTestbed, openApiTestbed, shareApiTestbed } from '#test/api/api-testbed.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { trustCertificate } from '#test/oauth/oauth-test-app.ts';
import { waitUntil } from '#test/patience.ts';
import type { TestAppOptions } from '#test/test-app.ts';

export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;
type Revision = (typeof REVISIONS)[number];

interface McpTestbed extends ApiTestbed {
  readonly endpoint: URL;
  /** Sends one message in the form of a revision; returns the whole answer. */
  readonly send: (message: McpMessage) => Promise<HttpsResponse>;
  /** Calls a tool in the current revision, which must answer with a result. */
  readonly callTool: (
    name: string,
    input: object,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<ToolResult & { readonly text: string; readonly output: Readonly<Record<string, unknown>> }>;
  /** Registers, is approved and fetches its credentials, as auth.md describes. */
  readonly registerAgent: (grants: readonly GrantType[]) => Promise<ClientCredentials>;
}

export interface McpMessage {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly revision?: Revision;
  readonly capabilities?: object;
}

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly resultType?: string;
  readonly requestState?: string;
}

let sharedTestbed: Promise<McpTestbed> | undefined;

/** One testbed for all files of a process that change neither its settings nor its clock. */
export async function shareMcpTestbed(): Promise<McpTestbed> {
  sharedTestbed ??= shareApiTestbed().then(toMcpTestbed);
  return await sharedTestbed;
}

export async function openMcpTestbed(owner: CleanupScope, changes: TestAppOptions = {}): Promise<McpTestbed> {
  return await toMcpTestbed(await openApiTestbed(owner, changes));
}

async function toMcpTestbed(testbed: ApiTestbed): Promise<McpTestbed> {
  await trustCertificate(testbed.dataDir);
  const send: McpTestbed['send'] = (message) =>
    testbed.get('/mcp', {
      method: 'POST',
      headers: { ...buildMessageHeaders(message), ...message.headers },
      body: JSON.stringify(buildMessage(message)),
    });
  return {
    ...testbed,
    endpoint: new URL(`${testbed.origin}/mcp`),
    send,
    callTool: async (name, input, headers = {}) => {
      const answer = await send({ method: 'tools/call', params: { name, arguments: input }, headers });
      assert.equal(answer.status, 200, answer.text);
      const result = readResult(answer) as ToolResult;
      return { ...result, text: result.content[0]?.text ?? '', output: result.structuredContent ?? {} };
    },
    registerAgent: async (grants) => {
      const { id, poll } = await registerSampleAgent(testbed.get);
      await approveRegistration(testbed.services, id, { scopes: SCOPES, grants }, null);
      const { json } = await poll();
      return { clientId: String(json['client_id']), clientSecret: String(json['client_secret']) };
    },
  };
}

/** For the SDKs: on a busy machine the service sheds load, which is not what a test checks. */
export async function fetchPatiently(address: string | URL, init?: RequestInit): Promise<Response> {
  return await waitUntil('the service has room', async () => {
    const answer = await fetch(address, init);
    return answer.status !== 503 && answer;
  });
}

const clientInfo = { name: 'test', version: '1' };

export function buildMessage({
  method,
  params = {},
  revision = '2026-07-28',
  capabilities = {},
}: McpMessage) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const sent = revision === '2026-07-28' ? { ...params, _meta: meta } : params;
  return { jsonrpc: '2.0', id: 1, method, params: sent };
}

export function buildMessageHeaders({ method, params = {}, revision = '2026-07-28' }: McpMessage) {
  const name = params['name'] ?? params['uri'];
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    ...(revision === '2026-07-28' && {
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    }),
  };
}

interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Earlier revisions answer with a stream of one event. */
export function readRpcAnswer({ text, headers }: HttpsResponse): RpcAnswer {
  const isStream = headers['content-type']?.startsWith('text/event-stream');
  const json = isStream ? (/^data: (.+)$/m.exec(text)?.[1] ?? '') : text;
  return JSON.parse(json) as RpcAnswer;
}

export function readResult(answer: HttpsResponse): unknown {
  const { result } = readRpcAnswer(answer);
  assert.ok(result, answer.text);
  return result;
}
