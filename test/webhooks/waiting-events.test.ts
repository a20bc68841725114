/** Events that wait for a webhook are limited in number, days and cost of an attempt; rows store no exact time. */

import assert from 'node:assert/strict';
import test, { after, beforeEach } from 'node:test';
import { setWebhook } from '#clients/webhook.ts';
import { createWebhookSender } from '#clients/webhook-sender.ts';
import { DAY_MS, MINUTE_MS } from '#platform/durations.ts';
import { generateId } from '#platform/text/ids.ts';
import { findCaseWebhook } from '#store/cases/case-webhooks.ts';
import { findCase } from '#store/cases/cases.ts';
import { findLastDeskMessageTime } from '#store/cases/notices.ts';
import { enqueueWebhookEvent, MAX_WAITING_EVENTS } from '#store/clients/webhook-ciphertexts.ts';
import { deleteExpiredRows } from '#store/due-work.ts';
import { type ApiAgent, openAgentCase } from '#test/api/api-testbed.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { startEventReceiver } from './receiver.ts';
import { openWebhookTestbed } from './webhook-testbed.ts';

const cleanUp = withReverseCleanup({ after });
const testbed = await openWebhookTestbed(cleanUp);
const { services, store } = testbed;
const failing = await startEventReceiver(cleanUp);
failing.answerWith((response) => void response.writeHead(500).end());

beforeEach(async () => {
  testbed.resetClock();
  await store.records.deleteFrom('webhook_events').execute();
  failing.received.length = 0;
});

const listWaiting = async () => await store.records.selectFrom('webhook_events').selectAll().execute();
const openFailingAgent = async () => {
  const agent = await testbed.createAgent();
  await testbed.setWebhook(agent, failing.url);
  return agent;
};
const enqueueMany = async ({ client }: ApiAgent, count: number) =>
  await store.transaction(async (records) => {
    const facts = { clientId: client.clientId, type: 'case.purged', at: testbed.now() } as const;
    for (let index = 0; index < count; index += 1)
      await enqueueWebhookEvent(records, services.keyring, { ...facts, subject: generateId() });
  });

test('no more than so many events wait for a client, and another client has room of its own', async () => {
  const [one, other] = [await openFailingAgent(), await openFailingAgent()];
  await enqueueMany(one, MAX_WAITING_EVENTS + 5);
  assert.equal((await listWaiting()).length, MAX_WAITING_EVENTS);
  await enqueueMany(other, 1);
  assert.equal((await listWaiting()).length, MAX_WAITING_EVENTS + 1);
});

test('one test waits for a client: the next one takes its place', async () => {
  const agent = await openFailingAgent();
  await agent.request('POST', '/callback/test');
  await testbed.send();
  const { json } = await agent.request('POST', '/callback/test');
  const waiting = await listWaiting();
  assert.deepEqual(
    waiting.map(({ id }) => `evt_${id}`),
    [json['id']],
  );
});

test('an attempt that fails is one request and two transactions, however many wait', async () => {
  const agent = await openFailingAgent();
  await enqueueMany(agent, MAX_WAITING_EVENTS);
  let transactions = 0;
  const countingStore: typeof store = {
    ...store,
    transaction: async (work) => {
      transactions += 1;
      return await store.transaction(work);
    },
  };
  const send = createWebhookSender({ ...services, store: countingStore, sweepMs: MINUTE_MS });
  testbed.moveToTurn('case');
  await send();
  assert.deepEqual([failing.received.length, transactions], [1, 2]);
});

test('an event is not sent after its days, and is deleted', async () => {
  const agent = await openFailingAgent();
  await enqueueMany(agent, 20);
  testbed.moveClock(3 * DAY_MS);
  await testbed.tell('case');
  assert.equal(failing.received.length, 0);
  await store.transaction((records) => deleteExpiredRows(records, 'webhook events', testbed.now(), 100));
  assert.deepEqual(await listWaiting(), []);
});

test('a waiting event has the day of what happened, and after an attempt a minute', async () => {
  const agent = await openFailingAgent();
  const opened = await openAgentCase(testbed, agent);
  await testbed.ask(opened);
  const isFiner = (unit: number) => (row: Awaited<ReturnType<typeof listWaiting>>[number]) =>
    row.due_at % unit !== 0 || row.ends_at % DAY_MS !== 0;
  assert.equal((await listWaiting()).filter(isFiner(DAY_MS)).length, 0);
  await testbed.tell('order');
  await testbed.tell('case');
  const waiting = await listWaiting();
  assert.deepEqual(waiting.map(({ kind }) => kind).toSorted(), ['case', 'order']);
  assert.equal(waiting.filter(isFiner(MINUTE_MS)).length, 0);
  const [one, other] = waiting;
  assert.notEqual(one?.queue_tag, other?.queue_tag, 'an order and a case share no value');
  assert.ok(waiting.every(({ ends_at: at }) => at - testbed.now() < 3 * DAY_MS));
});

test('events leave in their turn, even if the name service takes until the next one', async () => {
  const named = await startEventReceiver(cleanUp, { host: 'slow.example' });
  const slow = {
    ...services,
    webhookNetwork: {
      allowLoopback: true,
      resolveHost: async () => {
        testbed.moveClock(MINUTE_MS);
        return ['127.0.0.1'];
      },
    },
  };
  const { client } = await testbed.createAgent();
  await setWebhook(slow, client.clientId, { url: named.url, rotateSecret: false });
  const event = { clientId: client.clientId, type: 'order.paid', subject: generateId() } as const;
  await store.transaction((records) =>
    enqueueWebhookEvent(records, services.keyring, { ...event, at: testbed.now() }),
  );
  const send = createWebhookSender({ ...slow, sweepMs: MINUTE_MS });
  testbed.moveToTurn('order');
  await send();
  assert.deepEqual(named.received, []);
  const [row] = await listWaiting();
  assert.deepEqual([row?.attempts, row?.claimed_until], [0, 0]);
});

test('the row of a case has times of that case alone, whenever its webhook was set', async () => {
  const agent = await testbed.createAgent();
  const [silent, asked] = [await openAgentCase(testbed, agent), await openAgentCase(testbed, agent)];
  await testbed.ask(asked);
  testbed.moveClock(2 * MINUTE_MS);
  await testbed.setWebhook(agent, failing.url);
  const submitted = await findCase(store.records, silent.id, testbed.now());
  const readToldAt = async (id: string) => (await findCaseWebhook(store.records, id))?.told_at;
  assert.equal(await readToldAt(silent.id), submitted?.submitted_at);
  assert.equal(await readToldAt(asked.id), await findLastDeskMessageTime(store.records, asked.id));
  await testbed.tell('case');
  assert.deepEqual(failing.received, [], 'what was before is not told');
});
