/** What /mcp reads of a message before the protocol's library: fixed shapes and lengths, and short refusals. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { INQUIRY_BYTES } from '#api/inquiries.ts';
import { MESSAGE_BYTES } from '#api/mcp/message.ts';
import { assertProblem, samplePlainInquiry } from '#test/api/api-testbed.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { REVISIONS, readResult, readRpcAnswer, shareMcpTestbed } from './mcp-testbed.ts';

const testbed = await shareMcpTestbed();
const { send, get } = testbed;
const agent = await testbed.createAgent();
const own = { authorization: agent.authorization };
const clientInfo = { name: 'test', version: '1' };
const begin = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
const previous = { revision: '2025-11-25' } as const;

test('what is wrong in a message is said in one sentence, however often it is wrong', async () => {
  const zeros = Array<number>(2_000).fill(0);
  const wrong: readonly [method: string, params: Record<string, unknown>][] = [
    ['initialize', { ...begin, clientInfo: { ...clientInfo, name: zeros } }],
    ['initialize', { ...begin, clientInfo: zeros }],
    ['initialize', { ...begin, capabilities: zeros }],
    ['initialize', { ...begin, protocolVersion: 'a'.repeat(201) }],
    ['initialize', { ...begin, _meta: zeros }],
    ['tools/list', { cursor: zeros }],
    ['tools/call', { name: 'get_pricing', arguments: zeros }],
    ['tools/call', { name: 'get_pricing', arguments: Object.fromEntries(zeros.slice(0, 65).entries()) }],
    ['tools/call', { name: 'create_checkout', requestState: 1 }],
    ['resources/read', { uri: zeros }],
    ['prompts/get', { name: 'buy_inquiry', arguments: { tier: zeros } }],
  ];
  for (const [method, params] of wrong) {
    const answer = await send({ method, params, ...previous });
    assert.deepEqual([answer.status, readRpcAnswer(answer).error?.code], [200, -32_602], answer.text);
    assert.ok(answer.text.length < 200, answer.text);
  }
});

test('unknown fields may be in a message, and come back in no answer', async () => {
  const icons = Array<number>(1_000).fill(0);
  const known = await send({
    method: 'initialize',
    params: {
      ...begin,
      clientInfo: { ...clientInfo, icons, title: {} },
      capabilities: { experimental: icons, sampling: 1, tasks: [], elicitation: 'CANARY' },
      _meta: { progressToken: {}, 'example.org/trace': 'CANARY' },
    },
    ...previous,
  });
  assert.ok(readResult(known));
  assert.equal(known.text.includes('CANARY'), false);
  const prompt = await send({
    method: 'prompts/get',
    params: { name: 'buy_inquiry', arguments: { other: icons } },
  });
  assert.ok(readResult(prompt));
});

test('an id is a whole number or a short text, and any other is answered with none', async () => {
  const sendText = (body: string) =>
    get('/mcp', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  for (const id of ['1e400', '1.5', 'null', '{}', '[1]', `"${'a'.repeat(201)}"`, '9007199254740993']) {
    const answer = await sendText(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    assert.deepEqual([answer.status, answer.json['id']], [400, null], id);
  }
  const long = await sendText(`{"jsonrpc":"2.0","id":"x","method":"${'m'.repeat(5_000)}"}`);
  assert.deepEqual([long.status, readRpcAnswer(long).error?.code], [200, -32_601]);
  assert.ok(long.text.length < 200);
});

test('a method that is not served says so in the form of each revision', async () => {
  for (const method of ['logging/setLevel', 'completion/complete', 'constructor', '__proto__', 'toString'])
    for (const [place, revision] of REVISIONS.entries()) {
      const answer = await send({ method, revision });
      assert.deepEqual(
        [answer.status, readRpcAnswer(answer).error?.code],
        [place === 0 ? 404 : 200, -32_601],
      );
    }
});

test('a long message needs a token and a tool that takes text', async () => {
  const question = 'a'.repeat(MESSAGE_BYTES);
  const params = {
    name: 'submit_inquiry',
    arguments: {
      order_id: 'q1Zl7yBq3mJx0c2y8l4QxA',
      terms_version: CURRENT_TERMS,
      inquiry: { ...samplePlainInquiry, question },
    },
  };
  const refused = await send({ method: 'tools/call', params });
  assertProblem(refused, 401, 'unauthorized');
  assert.match(String(refused.headers['www-authenticate']), /scope="case:read case:write contact:write"/);
  const read = readResult(await send({ method: 'tools/call', params, headers: own })) as {
    content: { text: string }[];
  };
  assert.match(read.content[0]?.text ?? '', /^(?:not_found|validation_failed): /);
  const tooLong = { ...params, arguments: { ...params.arguments, more: 'a'.repeat(INQUIRY_BYTES) } };
  for (const [method, given] of [
    ['tools/call', tooLong],
    ['tools/call', { name: 'list_cases', arguments: { after: question } }],
    ['tools/call', { name: 'nothing', arguments: { after: question } }],
    ['initialize', { ...begin, clientInfo: { ...clientInfo, icons: [question] } }],
  ] as const) {
    const answer = await send({ method, params: given, headers: own });
    assertProblem(answer, 413, 'payload_too_large');
  }
});

test('headers of the protocol are repeated only if they are short', async () => {
  const headers = { 'mcp-name': 'x'.repeat(5_000) };
  const answer = await send({ method: 'tools/call', params: { name: 'get_pricing' }, headers });
  assert.deepEqual([answer.status, readRpcAnswer(answer).error?.code], [400, -32_600]);
  assert.ok(answer.text.length < 200);
});
