/** An assistant that never registered: from the refusal of a protected tool to its result, with each SDK's own flow. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import * as present from '@modelcontextprotocol/client';
import * as previous from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { withReverseCleanup } from '#test/cleanup.ts';
import { assistants, LOOPBACK_REDIRECT, startDocumentHost } from '#test/oauth/assistants.ts';
import { SdkAgent } from '#test/oauth/sdk-agent.ts';
import { fetchPatiently, openMcpTestbed } from './mcp-testbed.ts';

const cleanUp = withReverseCleanup({ after });
const documents = await startDocumentHost(cleanUp);
const testbed = await openMcpTestbed(cleanUp, { env: { CLIENT_DOCUMENT_HOSTS: documents.host } });
const { endpoint, oauth } = testbed;

/** It knows the address of its own document, and nothing about this service. */
class Assistant extends SdkAgent {
  readonly clientMetadataUrl;

  constructor(clientMetadataUrl: string) {
    super(null, undefined, LOOPBACK_REDIRECT);
    this.clientMetadataUrl = clientMetadataUrl;
  }
}

interface OpenClient {
  readonly listCases: () => Promise<unknown>;
  readonly finish: (callback: URLSearchParams) => Promise<void>;
  readonly close: () => Promise<void>;
}

const info = { name: 'assistant', version: '1' };
const listing = { name: 'list_cases', arguments: {} };

const sdks: Readonly<Record<string, (assistant: Assistant) => Promise<OpenClient>>> = {
  previous: async (authProvider) => {
    const client = new previous.Client(info);
    const transport = new StreamableHTTPClientTransport(endpoint, { authProvider, fetch: fetchPatiently });
    await client.connect(transport);
    return {
      listCases: () => client.callTool(listing),
      finish: (callback) => transport.finishAuth(callback.get('code') ?? ''),
      close: () => client.close(),
    };
  },
  present: async (authProvider) => {
    const client = new present.Client(info);
    const transport = new present.StreamableHTTPClientTransport(endpoint, {
      authProvider,
      fetch: fetchPatiently,
    });
    await client.connect(transport);
    return {
      listCases: () => client.callTool(listing),
      finish: (callback) => transport.finishAuth(callback),
      close: () => client.close(),
    };
  },
};

for (const [name, open] of Object.entries(sdks))
  test(`the ${name} SDK: an assistant with a document signs a person in and calls a tool`, async () => {
    const clientId = documents.publish(`Claude Code, ${name}`, assistants['Claude Code'].document);
    const assistant = new Assistant(clientId);
    const { listCases, finish, close } = await open(assistant);
    await assert.rejects(listCases(), /Unauthorized/);
    assert.equal(assistant.client?.client_id, clientId);
    const { origin, pathname, searchParams } = await oauth.authorize(assistant.sentTo);
    assert.equal(origin + pathname, LOOPBACK_REDIRECT);
    await finish(searchParams);
    const { isError, content } = (await listCases()) as { isError?: boolean; content?: unknown };
    assert.ok(!isError, JSON.stringify(content));
    await close();
  });
