/** The provider's webhook: only signed events count, and each takes effect once. */
import assert from 'node:assert/strict';
import test, { after, beforeEach, suite } from 'node:test';
import { Stripe } from 'stripe';
import type { Order } from '#store/orders/orders.ts';
import { startTestShop } from '#test/test-shop.ts';

const shop = await startTestShop({ after });
const { get, readLog, createSession, findOrder, sandbox, store } = shop;
const SECRET = 'whsec_canary_new';

beforeEach(() => sandbox.setFaults());

const getUnixSeconds = () => Math.floor(Date.now() / 1_000);

function deliverEvent(
  payload: unknown,
  options: { secret?: string; timestamp?: number; header?: string; raw?: string } = {},
) {
  const body = options.raw ?? JSON.stringify(payload);
  const { secret = SECRET, timestamp = getUnixSeconds() } = options;
  const header =
    options.header ?? Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
  return get('/api/stripe/webhook', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(header ? { 'stripe-signature': header } : {}) },
    body,
  });
}

function createEvent(type: string, object: unknown, changes: object = {}) {
  return { id: `evt_${Math.random()}`, object: 'event', type, livemode: false, data: { object }, ...changes };
}

async function updateOrder(id: string, changes: Partial<Order>): Promise<void> {
  await store.records.updateTable('orders').set(changes).where('id', '=', id).execute();
}

suite('a signature', () => {
  const harmless = createEvent('customer.created', {});

  test('by either secret of the list is accepted', async () => {
    for (const secret of ['whsec_canary_old', 'whsec_canary_new'])
      assert.deepEqual((await deliverEvent(harmless, { secret })).json, { received: true });
  });

  test('that is missing, foreign, stale, from the future or over other bytes is refused', async () => {
    const refusals = [
      deliverEvent(harmless, { header: '' }),
      deliverEvent(harmless, { header: 'nonsense' }),
      deliverEvent(harmless, { secret: 'whsec_foreign' }),
      deliverEvent(harmless, { timestamp: getUnixSeconds() - 301 }),
      deliverEvent(harmless, { timestamp: getUnixSeconds() + 400 }),
      deliverEvent(harmless, { header: `t=${getUnixSeconds()},v1=${'0'.repeat(64)}` }),
    ];
    for (const answer of await Promise.all(refusals))
      assert.deepEqual([answer.status, answer.json['code']], [400, 'signature_invalid']);
  });

  test('covers the raw bytes: the same JSON formatted differently verifies by its own bytes', async () => {
    const raw = JSON.stringify(harmless, null, 3) + '\n';
    assert.equal((await deliverEvent(null, { raw })).status, 200);
  });

  test('does not make other JSON an event', async () => {
    const thin = { id: 'evt_thin', object: 'v2.core.event', type: 'v1.billing.meter.no_meter_found' };
    for (const answer of [await deliverEvent(thin), await deliverEvent(null, { raw: 'no json' })])
      assert.deepEqual([answer.status, answer.json['code']], [400, 'event_refused']);
  });
});

suite('an event', () => {
  test('of the other mode is refused and reported', async () => {
    const live = createEvent('checkout.session.completed', { id: 'cs_live_x' }, { livemode: true });
    const answer = await deliverEvent(live);
    assert.deepEqual([answer.status, answer.json['code']], [400, 'event_refused']);
    assert.match(readLog(), /"reason":"event of the other mode"/);
  });

  test('that is too large is 413', async () => {
    assert.equal((await deliverEvent(createEvent('x', { text: 'x'.repeat(300_000) }))).status, 413);
  });

  test('of an unused type is 200 and makes no call to the provider', async () => {
    assert.equal((await deliverEvent(createEvent('customer.created', { id: 'cus_1' }))).status, 200);
    assert.deepEqual((await sandbox.readCalls()).counts, {});
  });

  test('about an unknown paid session is 503, so that the provider sends it again', async () => {
    const foreign = await sandbox.callApi<{ id: string }>('POST', 'checkout/sessions', {
      mode: 'payment',
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': 'usd',
      'line_items[0][price_data][unit_amount]': '100',
      'line_items[0][price_data][product_data][name]': 'x',
      success_url: 'https://elsewhere.example/',
    });
    for (const id of [foreign.id, 'cs_test_unknown0000000000']) {
      const answer = await deliverEvent(createEvent('checkout.session.completed', { id }));
      assert.deepEqual([answer.status, answer.json['code']], [503, 'event_unresolved']);
    }
    const expired = createEvent('checkout.session.expired', { id: foreign.id });
    assert.equal((await deliverEvent(expired)).status, 200);
  });

  test('is only a hint: what it claims is read again from the provider', async () => {
    const id = await createSession();
    const forged = { id, payment_status: 'paid', status: 'complete', amount_total: 9_900 };
    assert.equal((await deliverEvent(createEvent('checkout.session.completed', forged))).status, 200);
    assert.equal((await findOrder(id))?.payment, 'pending');
  });

  test('that arrives before the checkout’s response finds its order by the session’s reference', async () => {
    const id = await createSession();
    const { id: orderId } = (await findOrder(id))!;
    await updateOrder(orderId, { session_tag: null, session_ciphertext: null });
    await sandbox.pay(id);
    const found = await findOrder(id);
    assert.deepEqual([found?.id, found?.payment], [orderId, 'paid']);
  });

  test('while the provider is down is 503, and its redelivery works', async () => {
    const id = await createSession();
    await sandbox.setFaults({ webhooks: { lose: true } });
    await sandbox.pay(id);
    await sandbox.setFaults({ api: [{ match: 'GET /v1/checkout/sessions/{id}', status: 500, times: 3 }] });
    const paid = createEvent('checkout.session.completed', { id });
    assert.equal((await deliverEvent(paid)).status, 503);
    assert.equal((await findOrder(id))?.payment, 'pending');
    assert.equal((await deliverEvent(paid)).status, 200);
    assert.equal((await findOrder(id))?.payment, 'paid');
  });

  test('whose payment does not match the order quarantines it permanently', async () => {
    const id = await createSession();
    const { id: orderId } = (await findOrder(id))!;
    await updateOrder(orderId, { amount: 1 });
    await sandbox.pay(id);
    assert.equal((await findOrder(id))?.payment, 'quarantined');
    assert.match(readLog(), /"reason":"payment does not match its order"/);
    await updateOrder(orderId, { amount: 9_900 });
    assert.equal((await deliverEvent(createEvent('checkout.session.completed', { id }))).status, 200);
    assert.equal((await findOrder(id))?.payment, 'quarantined');
    assert.equal((await get(`/inquiry?session_id=${id}`)).status, 404);
  });
});
