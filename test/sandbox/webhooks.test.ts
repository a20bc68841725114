/** Signed webhooks: their form, their retries, and the switches that disturb them. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import test, { after, beforeEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stripe } from 'stripe';
import { buyInSandbox, startSandboxWithReceiver } from './sandbox-process.ts';

const { sandbox, receiver } = await startSandboxWithReceiver({ after });
beforeEach(async () => {
  receiver.answer = 200;
  await sandbox.callControl('PUT', 'faults', {});
  await sandbox.callControl('POST', 'webhooks/flush');
  receiver.events.length = 0;
  receiver.headers.length = 0;
});

test('an event is signed with every secret and complete', async () => {
  const session = await buyInSandbox(sandbox);
  await receiver.waitUntil(() => receiver.events.length === 3);
  const index = receiver.listTypes().indexOf('checkout.session.completed');
  const headers = receiver.headers[index]!;
  assert.match(String(headers['stripe-signature']), /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.match(String(headers['user-agent']), /^Stripe\/1\.0/);

  const event = receiver.events[index]!;
  assert.equal(event.api_version, Stripe.API_VERSION);
  assert.equal(event.livemode, false);
  assert.deepEqual(event.data.object, session);
});

test('a refused event is sent again after about a second, and again when flushed', async () => {
  receiver.answer = 500;
  await buyInSandbox(sandbox);
  await receiver.waitUntil(() => receiver.events.length === 3);
  await receiver.waitUntil(() => receiver.events.length === 6);
  receiver.answer = 200;
  assert.deepEqual(await sandbox.callControl('POST', 'webhooks/flush'), { delivered: 3, pending: 0 });
  assert.equal(receiver.events.length, 9);
  assert.equal(new Set(receiver.events.map(({ id }) => id)).size, 3);
});

test('a lost event never comes, but can be found and delivered by hand', async () => {
  await sandbox.callControl('PUT', 'faults', { webhooks: { lose: true } });
  const session = await buyInSandbox(sandbox);
  await sandbox.callControl('POST', 'webhooks/flush');
  assert.deepEqual(receiver.listTypes(), []);
  // The newest of the three events.
  const [event] = (await sandbox.stripe.events.list({ limit: 1 })).data;
  assert.equal((event!.data.object as Stripe.Checkout.Session).id, session.id);
  const answer = await sandbox.callControl('POST', `events/${event!.id}/deliver`);
  assert.deepEqual(answer, { statuses: [200] });
  assert.equal(receiver.events.length, 1);
  await sandbox.callControl('PUT', 'faults', {});
  await buyInSandbox(sandbox);
  await receiver.waitUntil(() => receiver.events.length === 4);
});

test('a certificate that the sandbox does not know is not trusted', async () => {
  const file = `${sandbox.dataDir}/tls/cert.pem`;
  const certificate = readFileSync(file);
  writeFileSync(file, '');
  await buyInSandbox(sandbox);
  await sleep(50);
  assert.deepEqual(receiver.listTypes(), []);
  writeFileSync(file, certificate);
  assert.deepEqual(await sandbox.callControl('POST', 'webhooks/flush'), { delivered: 3, pending: 0 });
});
