/** A receiver that never answers delays itself alone: others get events at once, and it gets one request at a time. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS, SECOND_MS } from '#platform/durations.ts';
import { generateId } from '#platform/text/ids.ts';
import { enqueueWebhookEvent } from '#store/clients/webhook-ciphertexts.ts';
import { waitUntil } from '#test/patience.ts';
import { startEventReceiver } from './receiver.ts';
import { openWebhookTestbed } from './webhook-testbed.ts';

const EVENTS = 40;

test('events of others arrive while a receiver does not answer', async (t) => {
  const testbed = await openWebhookTestbed(t, { answerMs: HOUR_MS });
  const [dead, alive] = [await startEventReceiver(t), await startEventReceiver(t)];
  let open = 0;
  let most = 0;
  dead.answerWith((response) => {
    open += 1;
    most = Math.max(most, open);
    response.once('close', () => {
      open -= 1;
    });
  });
  const [one, other] = [await testbed.createAgent(), await testbed.createAgent()];
  await testbed.setWebhook(one, dead.url);
  await testbed.setWebhook(other, alive.url);
  const { clientId } = one.client;
  const at = testbed.now();
  await testbed.store.transaction(async (records) => {
    for (let index = 0; index < EVENTS; index += 1) {
      const event = { clientId, type: 'case.purged', subject: generateId(), at } as const;
      await enqueueWebhookEvent(records, testbed.services.keyring, event);
    }
  });
  await other.request('POST', '/callback/test');

  let isSending = true;
  const sending = testbed.tell('case').finally(() => {
    isSending = false;
  });
  await waitUntil('another is told', () => alive.received.length === 1);
  await waitUntil('the dead one is asked', () => dead.received.length === 1);
  // The next event arrives while the sender waits for the dead receiver.
  await sleep(SECOND_MS / 2);
  await other.request('POST', '/callback/test');
  await waitUntil('another is told again', () => alive.received.length === 2);
  assert.ok(isSending, 'the sender is still waiting for the dead one');
  dead.closeConnections();
  await sending;
  assert.equal(most, 1);
  assert.equal(dead.received.length, 1, 'after the first failure the others wait, too');
  const left = await testbed.store.records.selectFrom('webhook_events').select('id').execute();
  assert.equal(left.length, EVENTS);
});

test('what a receiver goes on saying is not read', async (t) => {
  const testbed = await openWebhookTestbed(t);
  const endless = await startEventReceiver(t);
  let written = 0;
  endless.answerWith((response) => {
    response.writeHead(200);
    const timer = setInterval(() => {
      written += 1;
      response.write('x'.repeat(65_536));
    }, 1);
    response.once('close', () => clearInterval(timer));
  });
  const agent = await testbed.tryWebhook(endless.url);
  assert.equal((await testbed.readDelivery(agent)).state, 'delivered');
  await sleep(SECOND_MS / 5);
  const soon = written;
  await sleep(SECOND_MS / 5);
  assert.equal(written, soon, 'the connection was closed');
});
