/** Unpaid orders are capped, but the oldest are replaced: strangers who never pay do not close the checkout. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { makeUnpaidOrdersGiveWay } from '#payments/sweep.ts';
import { ServiceError } from '#platform/errors.ts';
import { computeCap } from '#store/limits/storage-caps.ts';
import { insertOrder, listOldestOrders, type Order } from '#store/orders/orders.ts';
import { postFormFields } from '#test/cases/plain-form.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import { startTestShop, type TestShop } from '#test/test-shop.ts';

/** So small that the cap is below two hundred orders. */
const DISK_BYTES = 2 * 1024 ** 2;
const { number: capacity } = computeCap('unpaid_orders', DISK_BYTES);

async function startSmallShop(t: test.TestContext, free = DISK_BYTES): Promise<TestShop> {
  return await startTestShop(t, { disk: async () => ({ total: DISK_BYTES, free, reusable: 0 }) });
}

async function fillOrders({ store }: TestShop, count: number, changes: Partial<Order>): Promise<void> {
  await store.transaction(async (records) => {
    for (let index = 0; index < count; index += 1)
      await insertOrder(records, createSampleOrder({ created_at: 1_000 + index, ...changes }));
  });
  await store.gate.refresh();
}

async function countOrders({ store }: TestShop, payment?: Order['payment']): Promise<number> {
  const query = store.records.selectFrom('orders').select('id');
  return (await (payment ? query.where('payment', '=', payment) : query).execute()).length;
}

test('orders that can no longer be paid give way, the oldest first; paid ones never do', async (t) => {
  const shop = await startSmallShop(t);
  await fillOrders(shop, 40, { payment: 'paid', created_at: 1 });
  await fillOrders(shop, capacity, { payment: 'expired' });
  assert.equal((await shop.postCheckout('Trace')).status, 200);
  assert.equal(await countOrders(shop, 'paid'), 40);
  const [oldest] = await listOldestOrders(shop.store.records, 'expired', 1);
  assert.ok(Number(oldest?.created_at) > 1_000);
  const before = await countOrders(shop);
  assert.ok(before <= capacity + 40);
  for (let index = 0; index < 3; index += 1) assert.equal((await shop.postCheckout('Trace')).status, 200);
  assert.equal(await countOrders(shop), before + 3);
});

test('if all can still be paid, the oldest are closed at the provider first, and the paid one among them stays', async (t) => {
  const shop = await startSmallShop(t);
  const paid = await shop.createSession();
  const abandoned = await shop.createSession();
  // Paid at the provider, but the webhook is late.
  await shop.sandbox.setFaults({ webhooks: { lose: true } });
  await shop.sandbox.pay(paid);
  await fillOrders(shop, capacity - 2, { payment: 'pending', created_at: Date.now() });
  assert.equal((await shop.postCheckout('Trace')).status, 200);
  assert.equal((await shop.findOrder(paid))?.payment, 'paid');
  assert.equal(await shop.findOrder(abandoned), undefined);
  await assert.rejects(shop.sandbox.pay(abandoned), /expired|409|400/);
});

test('an order whose session the provider does not close does not keep the others from giving way', async (t) => {
  const shop = await startSmallShop(t);
  const stuck = await shop.createSession();
  const abandoned = await shop.createSession();
  const { paymentProvider } = shop.services;
  const expireSession = paymentProvider.expireSession.bind(paymentProvider);
  t.mock.method(paymentProvider, 'expireSession', async (id: string) => {
    if (id === stuck) throw new ServiceError('payment_provider_unavailable');
    await expireSession(id);
  });
  assert.equal(await makeUnpaidOrdersGiveWay(shop.services, 'cap'), 1);
  assert.equal((await shop.findOrder(stuck))?.payment, 'pending');
  assert.equal(await shop.findOrder(abandoned), undefined);
  await assert.rejects(makeUnpaidOrdersGiveWay(shop.services, 'cap'), {
    code: 'payment_provider_unavailable',
  });
});

test('below half of the floor only orders that cannot be paid give way; without them checkout closes', async (t) => {
  const shop = await startSmallShop(t, DISK_BYTES * 0.06);
  await fillOrders(shop, 5, { payment: 'pending' });
  const answer = await shop.postCheckout('Trace');
  assert.deepEqual([answer.status, answer.json['code']], [503, 'storage_full']);
  assert.equal(await countOrders(shop, 'pending'), 5);
  const page = await postFormFields(shop, '/buy', { tier: 'Trace' });
  assert.equal(page.status, 503);
  assert.match(page.text, /nothing was charged/);
});
