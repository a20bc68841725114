/** The address /mcp itself: what it answers to each caller before any tool is run. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { INQUIRY_BYTES } from '#api/inquiries.ts';
import { SCOPES } from '#platform/scopes.ts';
import { assertProblem } from '#test/api/api-testbed.ts';
import { generateProofKey, obtainBoundToken } from '#test/oauth/dpop-proof.ts';
import { REVISIONS, readResult, readRpcAnswer, shareMcpTestbed } from './mcp-testbed.ts';

const testbed = await shareMcpTestbed();
const { get, send, origin } = testbed;
const agent = await testbed.createAgent();
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const postText = (body: string | Buffer, headers: Record<string, string> = {}) =>
  get('/mcp', { method: 'POST', headers: { ...json, ...headers }, body });

test('both revisions list tools, resources and the prompt to any caller, and nothing of it may be stored', async () => {
  for (const revision of REVISIONS) {
    const answers = await Promise.all(
      ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].map((method) =>
        send({ method, revision }),
      ),
    );
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['cache-control']]),
      answers.map(() => [200, 'no-store']),
    );
    const [listed, documents, templates, prompts] = answers.map(
      (answer) => readResult(answer) as Record<string, { name: string }[]>,
    );
    assert.equal(listed?.['tools']?.length, 15);
    assert.deepEqual(
      documents?.['resources']?.map(({ name }) => name),
      ['auth.md', 'sealing.md', 'pricing'],
    );
    assert.deepEqual(templates?.['resourceTemplates'], []);
    assert.deepEqual(
      prompts?.['prompts']?.map(({ name }) => name),
      ['buy_inquiry'],
    );
  }
});

test('the beginning of each revision says who this is and what to beware of', async () => {
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  };
  const begun = readResult(
    await send({ method: 'initialize', params: initialize, revision: '2025-11-25' }),
  ) as Record<string, unknown>;
  const discovered = readResult(await send({ method: 'server/discover' })) as Record<string, unknown>;
  assert.equal(begun['protocolVersion'], '2025-11-25');
  assert.deepEqual(discovered['supportedVersions'], ['2026-07-28']);
  for (const { instructions, capabilities } of [begun, discovered]) {
    assert.match(String(instructions), /passes through the host of the model/);
    assert.deepEqual(capabilities, { tools: {}, resources: {}, prompts: {} });
  }
});

test('each resource is what its address serves, and any other is unknown', async () => {
  const { resources } = readResult(await send({ method: 'resources/list' })) as {
    resources: { uri: string; mimeType: string }[];
  };
  for (const { uri, mimeType } of resources) {
    const { contents } = readResult(await send({ method: 'resources/read', params: { uri } })) as {
      contents: { text: string; mimeType: string }[];
    };
    const served = await get(uri.slice(origin.length));
    assert.deepEqual(contents, [{ uri, mimeType, text: served.text }]);
    assert.ok(served.headers['content-type']?.startsWith(mimeType));
  }
  const unknown = await send({ method: 'resources/read', params: { uri: `${origin}/case` } });
  assert.equal(readRpcAnswer(unknown).error?.code, -32_602);
});

test('the prompt warns first, then names every tool of a purchase that there is', async () => {
  const { tools } = readResult(await send({ method: 'tools/list' })) as { tools: { name: string }[] };
  const names = tools.map(({ name }) => name);
  for (const tier of [undefined, 'Dossier']) {
    const { messages } = readResult(
      await send({ method: 'prompts/get', params: { name: 'buy_inquiry', arguments: tier ? { tier } : {} } }),
    ) as { messages: { content: { text: string } }[] };
    const text = messages[0]?.content.text ?? '';
    assert.ok(text.indexOf('host of this model') < text.indexOf('get_pricing'));
    const named = [...text.matchAll(/\b(?:get|create|list|submit|read|send)_\w+/g)].map(([name]) => name);
    assert.deepEqual(
      named.filter((name) => !names.includes(name)),
      [],
    );
    assert.equal(text.includes('Dossier'), tier !== undefined);
  }
  const unknown = await send({ method: 'prompts/get', params: { name: 'other' } });
  assert.equal(readRpcAnswer(unknown).error?.code, -32_602);
});

test('there is no stream and no session to ask for, and nothing else below the address', async () => {
  for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
    const answer = await get('/mcp', { method, headers: { accept: 'text/event-stream' } });
    assertProblem(answer, 405, 'method_not_allowed');
    assert.equal(answer.headers['allow'], 'POST');
  }
  for (const path of ['/mcp/', '/mcp/sse', '/mcp/server-card/x', '/mcp/tools'])
    assertProblem(await get(path, { headers: { accept: 'text/html' } }), 404, 'not_found');
  const listening = await send({ method: 'subscriptions/listen', params: { notifications: {} } });
  assert.equal(readRpcAnswer(listening).error?.code, -32_601);
  const notified = await postText('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  assert.deepEqual([notified.status, notified.text, notified.headers['content-type']], [202, '', undefined]);
});

test('a page of another site and another name of this address are refused to every caller', async () => {
  const { authorization } = agent;
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: origin.replace('https', 'http') },
    { origin: `${origin}.evil.example` },
    { host: 'evil.example' },
    { host: `evil.example:${testbed.port}` },
    { host: `127.0.0.1:${testbed.port}` },
    { host: 'localhost' },
    { host: `${origin.slice('https://'.length)}@evil.example` },
  ];
  for (const headers of foreign)
    assertProblem(
      await send({ method: 'tools/list', headers: { ...headers, authorization } }),
      403,
      'foreign_origin',
    );
  assert.equal((await send({ method: 'tools/list', headers: { origin } })).status, 200);
  const host = origin.slice('https://'.length).toUpperCase();
  const answer = await send({ method: 'tools/list', headers: { host } });
  assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [200, undefined]);
});

test('what is no message of the protocol is refused with a status and a reason', async () => {
  const message = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_orders"}}';
  assertProblem(
    await postText(`[${message}]`, { authorization: agent.authorization }),
    400,
    'malformed_request',
  );
  assertProblem(await postText('[]'), 400, 'malformed_request');
  assertProblem(await postText('{"jsonrpc":'), 400, 'malformed_json');
  assertProblem(await postText(`{"id":1,${message.slice(1)}`), 400, 'malformed_json');
  assertProblem(await postText(Buffer.from([0x22, 0xff, 0x22])), 400, 'malformed_json');
  assertProblem(await postText(' '.repeat(INQUIRY_BYTES + 1)), 413, 'payload_too_large');
  assertProblem(await postText(message, { 'content-type': 'text/plain' }), 415, 'unsupported_media_type');
  assertProblem(await postText(message, { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type');
  for (const body of ['null', '"x"', '1', '{}', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"id":{}}']) {
    const answer = await postText(body);
    assert.deepEqual([answer.status, readRpcAnswer(answer).error?.code], [400, -32_600], body);
  }
  for (const params of [undefined, null, [], { name: 1 }, { name: 'get_pricing', arguments: [] }]) {
    const answer = await postText(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    assert.ok([-32_600, -32_602].includes(readRpcAnswer(answer).error?.code ?? 0), answer.text);
  }
});

test('an unknown revision, header or method is named as such', async () => {
  const future = await send({
    method: 'tools/list',
    headers: { 'mcp-protocol-version': '2031-01-01' },
    revision: '2031-01-01' as '2026-07-28',
  });
  assert.equal(future.status, 400);
  const other = await send({ method: 'tools/list', headers: { 'mcp-method': 'tools/call' } });
  assert.deepEqual([other.status, readRpcAnswer(other).error?.code], [400, -32_020]);
  const unknown = await send({ method: 'tools/burn' });
  assert.equal(readRpcAnswer(unknown).error?.code, -32_601);
  for (const revision of REVISIONS) {
    const call = await send({ method: 'tools/call', params: { name: 'nothing', arguments: {} }, revision });
    assert.equal(readRpcAnswer(call).error?.code, -32_602);
  }
});

test('without a token the challenge leads to the metadata of this address, and to the one audience', async () => {
  const params = { name: 'list_orders', arguments: {} };
  for (const revision of REVISIONS) {
    const answer = await send({ method: 'tools/call', params, revision });
    assertProblem(answer, 401, 'unauthorized');
    const challenge = String(answer.headers['www-authenticate']);
    assert.match(
      challenge,
      /^Bearer scope="case:read case:write contact:write", resource_metadata="[^"]+\/mcp"/,
    );
    assert.doesNotMatch(challenge, /error=/);
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    const { json: metadata } = await get(address.slice(origin.length));
    assert.equal(metadata['resource'], `${origin}/mcp`);
    assert.deepEqual(metadata['scopes_supported'], SCOPES);
  }
  const resource = `${origin}/mcp`;
  const headers = { authorization: await testbed.oauth.obtainBearer(agent.client, { resource }) };
  assert.equal((await send({ method: 'tools/call', params, headers })).status, 200);
  assert.equal((await get('/api/orders', { headers })).status, 200, 'one resource, whatever it is called');
});

test('a token that is not valid is refused even where none is needed', async () => {
  const params = { name: 'get_pricing', arguments: {} };
  for (const method of ['tools/list', 'tools/call']) {
    const answer = await send({ method, params, headers: { authorization: 'Bearer no-such-token' } });
    assertProblem(answer, 401, 'invalid_token');
    assert.match(String(answer.headers['www-authenticate']), /error="invalid_token".*\/mcp"/);
  }
  assertProblem(
    await get('/mcp?access_token=x', { method: 'POST', headers: json, body: '{}' }),
    400,
    'token_in_query',
  );
});

test('a token that is bound to a key needs its proof, for this address', async () => {
  const key = await generateProofKey();
  const token = await obtainBoundToken(testbed.oauth, agent.client, key);
  const sendWith = async (authorization: string, htu: string) =>
    await send({
      method: 'tools/call',
      params: { name: 'list_orders', arguments: {} },
      headers: { authorization, dpop: await key.createProof({ htm: 'POST', htu, token }) },
    });
  assert.equal((await sendWith(`DPoP ${token}`, `${origin}/mcp`)).status, 200);
  assertProblem(await sendWith(`DPoP ${token}`, `${origin}/api/orders`), 401, 'invalid_dpop_proof');
  assertProblem(await sendWith(`Bearer ${token}`, `${origin}/mcp`), 401, 'invalid_token');
});

test('the server card names the endpoint and no tool, and every document that names either leads there', async () => {
  const card = await get('/mcp/server-card');
  assert.equal(card.headers['content-type'], 'application/mcp-server-card+json');
  assert.equal(card.headers['access-control-allow-origin'], '*');
  assert.match(String(card.json['name']), /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  assert.ok(String(card.json['description']).length <= 100);
  assert.deepEqual(card.json['remotes'], [
    { type: 'streamable-http', url: `${origin}/mcp`, supportedProtocolVersions: [...REVISIONS] },
  ]);
  assert.equal('tools' in card.json, false);
  for (const path of ['/.well-known/api-catalog', '/llms.txt', '/auth.md'])
    assert.ok((await get(path)).text.includes(`${origin}/mcp`), path);
  const home = await get('/');
  assert.ok(home.headers['link']?.includes(`<${origin}/mcp/server-card>`));
});
