/** Limits hold at /mcp as at the API: no more tries by a second entry point, and separate counts at one address. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { rateBudgets } from '#platform/http/limits/limits.ts';
import { assertProblem } from '#test/api/api-testbed.ts';
import { createAgentForAddress } from '#test/api/people.ts';
import { openPlainCase, readPlainCase } from '#test/api/plain-case.ts';
import { openMcpTestbed } from './mcp-testbed.ts';

const testbed = await openMcpTestbed({ after }, { env: { RATE_LIMIT: 'on' } });
const agent = await testbed.createAgent();
const other = await testbed.createAgent();
const own = { authorization: agent.authorization };

test('tries of words over MCP and over HTTP count together, and other tools go on', async () => {
  const { id, words } = await openPlainCase(agent);
  const params = { name: 'read_messages', arguments: { case_id: id, words } };
  const callOverMcp = () => testbed.send({ method: 'tools/call', params, headers: own });
  for (let tries = 0; tries < rateBudgets.words.max; tries += 2) {
    assert.equal((await callOverMcp()).status, 200);
    assert.equal((await readPlainCase(agent, { id, words })).status, 200);
  }
  const refused = await callOverMcp();
  assertProblem(refused, 429, 'rate_limited');
  assert.ok(Number(refused.headers['retry-after']) > 0);
  assertProblem(await readPlainCase(agent, { id, words }), 429, 'rate_limited');
  assert.equal((await testbed.callTool('get_case', { case_id: id }, own)).isError, undefined);
  const headers = { authorization: other.authorization };
  assert.equal((await testbed.send({ method: 'tools/call', params, headers })).status, 200, 'another client');
});

test('requests with a good token count for client and person, and others for the address', async () => {
  const ask = async (authorization: string, url = '/api/cases') =>
    await testbed.app.inject({ url, headers: { host: 'localhost', authorization } });
  const send = async (authorization: string) => (await ask(authorization)).statusCode;
  const person = await createAgentForAddress(testbed, other.client, 'ann@example.com');
  const left = String((await ask(other.authorization)).headers['ratelimit']);
  assert.match(left, /^"default";r=\d{3};t=\d{1,2}$/);
  for (let sent = 0; sent < rateBudgets.requests.max; sent += 1) await send(other.authorization);
  assert.equal(await send(other.authorization), 429);
  assert.equal(await send(person.authorization), 200, 'a person at the same client');
  assert.equal(await send(agent.authorization), 200, 'another client at the same address');
  for (let sent = 0; sent < rateBudgets.requests.max; sent += 1) await send('Bearer x');
  for (const [url, wrong] of [
    ['/api/cases', 'Bearer x'],
    ['/api/cases', 'Basic x'],
    ['/api/pricing', 'Bearer x'],
    ['/api/nowhere', agent.authorization],
    ['/', agent.authorization],
  ] as const) {
    const refused = await ask(wrong, url);
    assert.equal(refused.statusCode, 429, 'who guesses at tokens');
    assert.equal(refused.headers['www-authenticate'], undefined);
  }
  assert.equal(await send(agent.authorization), 200, 'a good token at the same address');
});
