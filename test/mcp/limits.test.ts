/** Limits by number hold at /mcp as at the API, and a second door gives no more tries. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { rateBudgets } from '#platform/http/limits.ts';
import { assertProblem } from '#test/api/api-testbed.ts';
import { openPlainCase, readPlainCase } from '#test/api/plain-case.ts';
import { openMcpTestbed } from './mcp-testbed.ts';

const testbed = await openMcpTestbed({ after }, { env: { RATE_LIMIT: 'on' } });
const agent = await testbed.createAgent();
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
});
