/** What goes wrong at /mcp: waiting that ends, sentences that fit a tool and a request, exceptions only in the log. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { readMessage, readProtocolHeaders } from '#api/mcp/message.ts';
import { answerProtocolMessage } from '#api/mcp/protocol-server.ts';
import { agentPaths } from '#platform/addresses.ts';
import { problemKinds } from '#platform/problems.ts';
import {
  buildMessage,
  buildMessageHeaders,
  type McpMessage,
  openMcpTestbed,
  readResult,
  shareMcpTestbed,
} from './mcp-testbed.ts';

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

/** Answers messages without the checks of the route before them, and without documents. */
const CANARY = 'CANARY-INTERNAL';
const bare = await openMcpTestbed(
  { after },
  {
    routes: (app) =>
      app.post('/bare', { config: { access: 'public' } }, async (request) => {
        const readFailing = () => Promise.reject(new Error(CANARY));
        const documents = {
          readInstructions: readFailing,
          readSealing: readFailing,
          readToolSteps: async () => '',
        };
        const site = { services: bare.services, siteName: 'Office', documents };
        const answer = await answerProtocolMessage(site, {
          request,
          headers: readProtocolHeaders(request.headers),
          message: readMessage(request.body)!,
        });
        return { text: await answer.text() };
      }),
  },
);

const askBare = async (message: McpMessage) => {
  const headers = buildMessageHeaders(message);
  const body = JSON.stringify(buildMessage(message));
  return (await bare.get('/bare', { method: 'POST', headers, body })).text;
};

test('a document that cannot be read is logged, and its exception stays here', async () => {
  const uri = bare.services.addresses.sealing;
  const text = await askBare({ method: 'resources/read', params: { uri } });
  assert.match(text, /internal_error: /);
  assert.equal(text.includes(CANARY), false);
  assert.match(bare.readLog(), /request_failed/);
});

test('a tool that needs a caller does not run without one, whatever was checked before', async () => {
  for (const [name, input, code] of [
    ['list_orders', {}, /unauthorized: /],
    ['create_checkout', { tier: 'Trace' }, /unauthorized: /],
    ['create_checkout', { tier: 'Trace', in_browser: true }, /cs_test_/],
    ['get_pricing', {}, /Deep Sweep/],
  ] as const)
    assert.match(await askBare({ method: 'tools/call', params: { name, arguments: input } }), code, name);
});
