/** Plain inquiries and secrets that a client sends are stored nowhere in plain text, in no file and no log. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { generateWords } from '#seal/core/words.ts';
import { listPlacesContaining, listWordPairs } from '#test/written-content.ts';
import { openApiTestbed, samplePlainInquiry } from './api-testbed.ts';
import { deliverToPlainCase, openPlainCase, readPlainCase } from './plain-case.ts';

const testbed = await openApiTestbed({ after });

test('the search finds text that is stored in plain', async () => {
  assert.ok(
    (await listPlacesContaining(testbed, 'CREATE TABLE cases')).some((name) =>
      name.startsWith('inquiry-office.db'),
    ),
  );
  assert.deepEqual(await listPlacesContaining(testbed, '"event":"schema_created"'), ['log']);
});

test('a plain inquiry and a plain message, refused or accepted, leave no text, no key and no token', async () => {
  const agent = await testbed.createAgent();
  const words = generateWords();
  const inquiry = { ...samplePlainInquiry, alias: 'CANARYalias', background: 'CANARYbackground' };
  const key = { 'idempotency-key': 'CANARYkey' };
  const [first, second] = [await agent.buy(), await agent.buy()];
  const refused = await agent.submit({
    order_id: first.orderId,
    plain: { inquiry: { ...inquiry, subject: '' }, words },
  });
  assert.equal(refused.status, 422);
  const chosen = await agent.submit({ order_id: first.orderId, plain: { inquiry, words } }, key);
  const accepted = await agent.submit({ session_id: second.sessionId, plain: { inquiry } });
  assert.deepEqual([chosen.status, accepted.status], [201, 201], chosen.text);
  const plain = { topic: 'press', message: 'CANARYmessage, long enough', reply_to: 'CANARYaddress' };
  assert.equal(
    (await agent.request('POST', '/contact', { plain }, { 'idempotency-key': 'CANARYother' })).status,
    202,
  );
  assert.equal(
    (await agent.request('POST', '/contact', { plain: { ...plain, topic: 'CANARYtopic' } })).status,
    422,
  );
  await agent.request('GET', '/cases?CANARYname=CANARYvalue');
  const secrets = [
    'CANARY',
    ...listWordPairs(words),
    ...listWordPairs(String(accepted.json['words'])),
    second.sessionId,
    agent.authorization.slice('Bearer '.length),
    agent.client.clientSecret,
  ];
  for (const secret of secrets) assert.deepEqual(await listPlacesContaining(testbed, secret), [], secret);
});

test('plain reading leaves no words, no text and no key of them, whatever became of the request', async () => {
  const agent = await testbed.createAgent();
  const own = await openPlainCase(agent);
  const guess = generateWords();
  const typed = [own.words, guess, own.words.replaceAll(' ', ''), `${own.words} more`];
  await deliverToPlainCase(testbed, own, {
    markdown: 'CANARYfinding',
    content: 'CANARYpages',
    undoMs: 60_000,
  });
  const key = { 'idempotency-key': 'CANARYkey' };
  for (const words of typed) {
    await readPlainCase(agent, { ...own, words });
    await agent.request('POST', `/cases/${own.id}/plain/messages`, { words, text: 'CANARYtext' }, key);
    await agent.request('POST', `/cases/${own.id}/plain/files/${own.id}`, { words });
    await agent.request('POST', `/cases/${own.id}/plain?words=${encodeURIComponent(words)}`, { words });
    await agent.request('POST', `/cases/${own.id}/plain/${encodeURIComponent(words)}`, { words });
  }
  const { json } = await readPlainCase(agent, own);
  assert.deepEqual(
    (json['messages'] as { text: string }[]).map(({ text }) => text),
    ['CANARYtext'],
  );
  const pairs = [own.words, guess].flatMap((words) =>
    listWordPairs(words).flatMap((pair) => [' ', '', '+', '%20'].map((gap) => pair.replace(' ', gap))),
  );
  const { keyring } = testbed.services;
  const hashes = [own.words, JSON.stringify({ words: own.words, text: 'CANARYtext' })].map((body) =>
    keyring.tag('idempotency', body),
  );
  const isAnywhere = () => true;
  for (const secret of ['CANARY', ...pairs, ...hashes])
    assert.deepEqual(await listPlacesContaining(testbed, secret, isAnywhere), [], secret);
  const without = keyring.tag('idempotency', JSON.stringify({ text: 'CANARYtext' }));
  assert.notDeepEqual(await listPlacesContaining(testbed, without), []);
});
