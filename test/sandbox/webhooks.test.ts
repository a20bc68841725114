/** Signed webhooks: their form, their retries, and the switches that disturb them. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, beforeEach, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stripe } from 'stripe';
import {
  buyInSandbox,
  type SandboxWithReceiver,
  startSandboxWithReceiver,
  stopSandboxWithReceiver,
} from './sandbox-process.ts';

suite('webhooks', () => {
  let shop: SandboxWithReceiver;
  before(async () => {
    shop = await startSandboxWithReceiver();
  });
  after(() => stopSandboxWithReceiver(shop));
  beforeEach(async () => {
    shop.receiver.answer = 200;
    await shop.sandbox.callControl('PUT', 'faults', {});
    await shop.sandbox.callControl('POST', 'webhooks/flush');
    shop.receiver.events.length = 0;
    shop.receiver.headers.length = 0;
  });

  test('an event is signed with every secret and complete', async () => {
    const session = await buyInSandbox(shop.sandbox);
    await shop.receiver.waitUntil(() => shop.receiver.events.length === 3);
    const index = shop.receiver.listTypes().indexOf('checkout.session.completed');
    const headers = shop.receiver.headers[index]!;
    assert.match(String(headers['stripe-signature']), /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.match(String(headers['user-agent']), /^Stripe\/1\.0/);

    const event = shop.receiver.events[index]!;
    assert.equal(event.api_version, Stripe.API_VERSION);
    assert.equal(event.livemode, false);
    assert.deepEqual(event.data.object, session);
  });

  test('a refused event is sent again after about a second, and again when flushed', async () => {
    shop.receiver.answer = 500;
    await buyInSandbox(shop.sandbox);
    await shop.receiver.waitUntil(() => shop.receiver.events.length === 3);
    await shop.receiver.waitUntil(() => shop.receiver.events.length === 6);
    shop.receiver.answer = 200;
    assert.deepEqual(await shop.sandbox.callControl('POST', 'webhooks/flush'), { delivered: 3, pending: 0 });
    assert.equal(shop.receiver.events.length, 9);
    assert.equal(new Set(shop.receiver.events.map(({ id }) => id)).size, 3);
  });

  test('a lost event never comes, but can be found and delivered by hand', async () => {
    await shop.sandbox.callControl('PUT', 'faults', { webhooks: { lose: 3 } });
    const session = await buyInSandbox(shop.sandbox);
    await shop.sandbox.callControl('POST', 'webhooks/flush');
    assert.deepEqual(shop.receiver.listTypes(), []);
    // The newest of the three events.
    const [event] = (await shop.sandbox.stripe.events.list({ limit: 1 })).data;
    assert.equal((event!.data.object as Stripe.Checkout.Session).id, session.id);
    const body = { times: 20, concurrency: 10 };
    const { statuses } = await shop.sandbox.callControl<{ statuses: number[] }>(
      'POST',
      `events/${event!.id}/deliver`,
      body,
    );
    assert.deepEqual(
      statuses,
      Array.from({ length: 20 }, () => 200),
    );
    assert.deepEqual(await shop.sandbox.callControl('POST', `events/${event!.id}/deliver`), {
      statuses: [200],
    });
    assert.equal(shop.receiver.events.length, 21);
    await buyInSandbox(shop.sandbox);
    await shop.receiver.waitUntil(() => shop.receiver.events.length === 24);
  });

  test('a certificate that the sandbox does not know is not trusted', async () => {
    const file = `${shop.sandbox.dataDir}/tls/cert.pem`;
    const certificate = readFileSync(file);
    writeFileSync(file, '');
    await buyInSandbox(shop.sandbox);
    await sleep(50);
    assert.deepEqual(shop.receiver.listTypes(), []);
    writeFileSync(file, certificate);
    assert.deepEqual(await shop.sandbox.callControl('POST', 'webhooks/flush'), { delivered: 3, pending: 0 });
  });
});
