/** Requests of one client at once; on PostgreSQL transactions really run concurrently. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test, { after } from 'node:test';
import { openPlainForm, sendPlainForm } from '#test/cases/plain-form.ts';
import { computeAddedRows, countStoredRows } from '#test/cases/row-counts.ts';
import { findCaseByWords } from '#test/cases/stored-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import {
  assertProblem,
  openAgentCase,
  openApiTestbed,
  samplePlainInquiry,
  sealBuyerMessage,
  sealInquiryForOrder,
  toInlineSealedBody,
} from './api-testbed.ts';

const cleanUp = withReverseCleanup({ after });
const engines = await listEngineVariables(cleanUp);
// Starts all of them before the first test, which would keep the next one from starting.
const testbeds = await Array.fromAsync(Object.entries(engines), async ([engine, env]) => ({
  engine,
  testbed: await openApiTestbed(cleanUp, { env }),
}));

for (const { engine, testbed } of testbeds) {
  const agent = await testbed.createAgent();

  test(`eight concurrent submissions with one key open one case, and each returns its words, on ${engine}`, async () => {
    const { orderId } = await agent.buy();
    const body = { order_id: orderId, plain: { inquiry: samplePlainInquiry } };
    const before = await countStoredRows(testbed);
    const key = { 'idempotency-key': randomUUID() };
    const sends = Array.from({ length: 8 }, () => agent.submit(body, key));
    const answers = await Promise.all(sends);
    for (const { status, text } of answers) assert.equal(status, 201, text);
    assert.equal(new Set(answers.map(({ json }) => json['id'])).size, 1);
    const [words, ...others] = new Set(answers.map(({ json }) => json['words']));
    assert.deepEqual([String(words).split(' ').length, others], [12, []]);
    assert.equal((await findCaseByWords(testbed, String(words)))?.id, answers[0]?.json['id']);
    assert.deepEqual(computeAddedRows(before, await countStoredRows(testbed)), {
      cases: 1,
      objects: 1,
      pieces: 1,
    });
  });

  test(`when the client and a browser redeem one order, the first wins and the other is refused, on ${engine}`, async () => {
    const order = await agent.buy();
    const form = await openPlainForm(testbed, order.sessionId);
    const sealed = toInlineSealedBody(await sealInquiryForOrder(testbed, order));
    const before = await countStoredRows(testbed);
    const answers = await Promise.all([
      agent.submit({ order_id: order.orderId, sealed }),
      sendPlainForm(testbed, form),
    ]);
    const statuses = answers.map(({ status }) => status);
    assert.ok(['201 409', '409 200'].includes(statuses.join(' ')), statuses.join(' '));
    assert.deepEqual(computeAddedRows(before, await countStoredRows(testbed)), {
      cases: 1,
      objects: 1,
      pieces: 1,
    });
  });

  test(`one message sent many times concurrently is stored once, on ${engine}`, async () => {
    const opened = await openAgentCase(testbed, agent);
    const { id } = opened;
    const body = { seq: 0, sealed: await sealBuyerMessage(opened) };
    const sendMessage = (headers?: Record<string, string>) =>
      agent.request('POST', `/cases/${id}/messages`, body, headers);
    const key = { 'idempotency-key': 'one-message' };
    for (const { status, text } of await Promise.all([
      sendMessage(key),
      sendMessage(key),
      sendMessage(key),
      sendMessage(),
      sendMessage(),
    ]))
      assert.equal(status, 201, text);
    const { json } = await agent.request('GET', `/cases/${id}`);
    assert.deepEqual(json['messages'], { buyer: 1, desk: 0 });
  });

  test(`a NUL, which PostgreSQL cannot store in text, is refused before it reaches the database, on ${engine}`, async () => {
    for (const path of ['/cases/%00', '/cases?after=1.%00', `/cases/${'A'.repeat(21)}%00/messages`])
      assertProblem(await agent.request('GET', path), 400, 'malformed_request');
    const session = { session_id: 'cs_test_\u0000', plain: { inquiry: samplePlainInquiry } };
    assertProblem(await agent.submit(session), 400, 'malformed_json');
  });
}
