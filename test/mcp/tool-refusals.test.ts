/** What goes wrong at /mcp: waiting that ends, sentences that fit a tool and a request, exceptions only in the log. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { readMessage, readProtocolHeaders } from '#api/mcp/message.ts';
import { answerProtocolMessage } from '#api/mcp/protocol-server.ts';
import { agentPaths } from '#platform/addresses.ts';
import { problemKinds } from '#platform/problems.ts';
import { openMcpTestbed, readResult, shareMcpTestbed } from './mcp-testbed.ts';

const { send, get } = await shareMcpTestbed();

test('waiting has ends other than the one that is hoped for', async () => {
  const prompt = await send({ method: 'prompts/get', params: { name: 'buy_inquiry' } });
  const discovered = await send({ method: 'server/discover' });
  const { tools } = readResult(await send({ method: 'tools/list' })) as {
    tools: { name: string; description: string }[];
  };
  const describe = (wanted: string) => tools.find(({ name }) => name === wanted)?.description ?? '';
  for (const text of [prompt.text, discovered.text, describe('get_case')])
    assert.match(text, /`declined` and `withdrawn`/);
  for (const text of [prompt.text, discovered.text, describe('get_order')])
    assert.match(text, /`expired`.*`refunded`/);
});

test('the first page and the skill name the address for MCP clients', async () => {
  assert.match((await get('/index.md')).text, /\/mcp\b/);
  assert.match((await get(agentPaths.skill)).text, /\/mcp\b/);
});

test('no sentence about a problem speaks of requests that a tool does not make', () => {
  const ofTransport: readonly string[] = ['unauthorized', 'method_not_allowed', 'not_acceptable'];
  for (const [code, { detail }] of Object.entries(problemKinds))
    if (!ofTransport.includes(code))
      assert.doesNotMatch(detail, /\b(?:GET|POST|PUT) \/|Idempotency-Key|Retry-After|see errors/, code);
});

test('a document that cannot be read is logged, and its exception stays here', async () => {
  const canary = 'CANARY-INTERNAL';
  const failing = await openMcpTestbed(
    { after },
    {
      routes: (app) =>
        app.post('/failing', { config: { access: 'public' } }, async (request) => {
          const readFailing = () => Promise.reject(new Error(canary));
          const documents = {
            readInstructions: readFailing,
            readSealing: readFailing,
            readToolSteps: async () => '',
          };
          const site = { services: failing.services, siteName: 'Office', documents };
          const answer = await answerProtocolMessage(site, {
            request,
            headers: readProtocolHeaders(request.headers),
            message: readMessage(request.body)!,
          });
          return { text: await answer.text() };
        }),
    },
  );
  const uri = failing.services.addresses.sealing;
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const { text } = await failing.get('/failing', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'resources/read',
      'mcp-name': uri,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri, _meta: meta } }),
  });
  assert.match(text, /internal_error: /);
  assert.equal(text.includes(canary), false);
  assert.match(failing.readLog(), /request_failed/);
});
