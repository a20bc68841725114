/** The processor time and the answers of /mcp, for messages that are wrong in one place as often as fits. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { INQUIRY_BYTES } from '#api/inquiries.ts';
import { MESSAGE_BYTES } from '#api/mcp/message.ts';
import { sendPatiently } from '#test/http/patient-requests.ts';
import { openMcpTestbed, REVISIONS } from '#test/mcp/mcp-testbed.ts';
import { assertSteadyGrowth } from './growth.ts';
import { listWrongElements } from './wrong-elements.ts';

const testbed = await openMcpTestbed({ after });
const { authorization } = await testbed.createAgent();

const ANSWER_BYTES = 64 * 1_024;
/** Replaced by the wrong elements. */
const HERE = '<here>';

const client = { name: 'test', version: '1' };
const begin = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client };
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': client,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const checkout = { name: 'create_checkout', arguments: { tier: 'Trace', in_browser: true } };

const messages: readonly object[] = [
  { jsonrpc: HERE, id: 1, method: 'ping' },
  { jsonrpc: '2.0', id: HERE, method: 'ping' },
  { jsonrpc: '2.0', id: 1, method: HERE },
  { jsonrpc: '2.0', method: 'notifications/initialized', params: HERE },
  { jsonrpc: '2.0', id: 1, method: 'ping', more: HERE },
  { jsonrpc: '2.0', id: 1, result: HERE },
  ...[
    'ping',
    'initialize',
    'server/discover',
    'tools/list',
    'tools/call',
    'prompts/get',
    'resources/read',
  ].map((method) => ({ jsonrpc: '2.0', id: 1, method, params: HERE })),
  ...[
    { ...begin, protocolVersion: HERE },
    { ...begin, capabilities: HERE },
    { ...begin, capabilities: { experimental: HERE } },
    { ...begin, capabilities: { elicitation: HERE } },
    { ...begin, capabilities: { elicitation: { url: HERE } } },
    { ...begin, clientInfo: HERE },
    { ...begin, clientInfo: { ...client, name: HERE } },
    { ...begin, clientInfo: { ...client, icons: HERE } },
    { ...begin, clientInfo: { ...client, icons: [{ src: HERE }] } },
    { ...begin, _meta: HERE },
  ].map((params) => ({ jsonrpc: '2.0', id: 1, method: 'initialize', params })),
  ...Object.keys(meta).map((key) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { _meta: { ...meta, [key]: HERE } },
  })),
  ...[{ _meta: { ...meta, other: HERE } }, { _meta: { progressToken: HERE } }, { cursor: HERE }].map(
    (params) => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }),
  ),
  ...[
    { name: HERE },
    { ...checkout, arguments: HERE },
    { ...checkout, arguments: { ...checkout.arguments, tier: HERE } },
    { ...checkout, arguments: { ...checkout.arguments, more: HERE } },
    { ...checkout, task: HERE },
    { ...checkout, requestState: HERE },
    { ...checkout, inputResponses: HERE },
    { ...checkout, inputResponses: { page: { action: 'accept', content: HERE } } },
    { name: 'nothing', arguments: HERE },
  ].map((params) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })),
  ...[
    { name: HERE },
    { name: 'buy_inquiry', arguments: HERE },
    { name: 'buy_inquiry', arguments: { tier: HERE } },
  ].map((params) => ({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params })),
  { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: HERE } },
  { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: HERE } },
  { jsonrpc: '2.0', id: 1, method: 'completion/complete', params: { argument: HERE } },
];

async function sendBody(payload: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const answer = await sendPatiently(testbed.app, {
    method: 'POST',
    url: '/mcp',
    headers: {
      host: testbed.endpoint.host,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    payload,
  });
  assert.ok(answer.statusCode < 500 || payload.includes('listen'), `${answer.statusCode} ${answer.payload}`);
  assert.ok(answer.rawPayload.length <= ANSWER_BYTES, `${answer.rawPayload.length} bytes`);
  // The SDK's validator would list all that it expects.
  assert.doesNotMatch(answer.payload, /\\"(?:expected|code|path)\\"/);
}

for (const [place, message] of messages.entries()) {
  const text = JSON.stringify(message);
  test(`${text}: costs no more than its length, and the answer is short`, async () => {
    for (const [name, write] of listWrongElements(place)) {
      const fill = (length: number) => text.replace(`"${HERE}"`, () => write(length));
      for (const revision of REVISIONS)
        await sendBody(fill(MESSAGE_BYTES - text.length - 16), { 'mcp-protocol-version': revision });
      await assertSteadyGrowth(name, INQUIRY_BYTES - text.length - 64, (length) =>
        sendBody(fill(length), { authorization }),
      );
    }
  });
}
