/** What passes through /mcp is stored nowhere in plain text, in no file and no log: no story, words or argument. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { generateWords } from '#seal/core/words.ts';
import { samplePlainInquiry } from '#test/api/api-testbed.ts';
import { deliverToPlainCase } from '#test/api/plain-case.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { isLongRun } from '#test/scale.ts';
import { listPlacesContaining, listWordPairs } from '#test/written-content.ts';
import { openMcpTestbed, REVISIONS } from './mcp-testbed.ts';

const testbed = await openMcpTestbed({ after });
const { callTool, send } = testbed;

test('whatever becomes of a call, nothing of it is written', async () => {
  const agent = await testbed.createAgent();
  const own = { authorization: agent.authorization };
  const { orderId } = await agent.buy();
  const inquiry = { ...samplePlainInquiry, alias: 'CANARYalias', background: 'CANARYbackground' };
  const submission = { order_id: orderId, terms_version: CURRENT_TERMS, inquiry };
  await callTool(
    'submit_inquiry',
    { ...submission, inquiry: { ...inquiry, CANARYfield: 'CANARYvalue' } },
    own,
  );
  await callTool('submit_inquiry', { ...submission, terms_version: 'CANARYterms' }, own);
  const key = { idempotency_key: 'CANARYkey' };
  const { output, text } = await callTool('submit_inquiry', submission, own);
  assert.notEqual(output['id'], undefined, text);
  const [id, words] = [String(output['id']), String(output['words'])];
  await deliverToPlainCase(
    testbed,
    { id, words },
    { markdown: 'CANARYfinding', content: 'CANARYpages', undoMs: 60_000 },
  );
  const guess = generateWords();
  let turn = 0;
  for (const typed of [words, guess, words.replaceAll(' ', ''), `${words} more`])
    for (const [name, more] of [
      ['read_messages', {}],
      ['get_finding', {}],
      ['get_case', {}],
      ['send_case_message', { text: 'CANARYtext', ...key }],
      ['CANARYtool', {}],
    ] as const) {
      const input = { case_id: id, words: typed, ...more };
      turn += 1;
      for (const revision of isLongRun ? REVISIONS : [REVISIONS[turn % REVISIONS.length]!])
        for (const headers of [own, {}])
          await send({ method: 'tools/call', params: { name, arguments: input }, revision, headers });
    }
  const read = await callTool('read_messages', { case_id: id, words }, own);
  assert.match(read.text, /CANARYtext/, 'what was searched for was really sent');
  await callTool(
    'send_contact_message',
    { topic: 'press', message: 'CANARYmessage, long enough', reply_to: 'CANARYaddress' },
    own,
  );
  await send({ method: 'CANARYmethod', params: { words } });
  await send({ method: 'resources/read', params: { uri: `https://CANARY.example/${words}` } });
  await send({ method: 'prompts/get', params: { name: 'CANARYprompt', arguments: { tier: words } } });
  const secrets = [
    'CANARY',
    ...listWordPairs(words),
    ...listWordPairs(guess),
    words.replaceAll(' ', ''),
    agent.authorization.slice('Bearer '.length),
  ];
  for (const secret of secrets) assert.deepEqual(await listPlacesContaining(testbed, secret), [], secret);
});
