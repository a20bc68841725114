/** Orders that a restore puts on hold: not usable before they are released and the provider has been asked. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { StripeProvider } from '#payments/provider/stripe.ts';
import {
  redeemVoucher,
  requireKnownPaidOrder,
  requireSpendableSession,
  type Voucher,
} from '#payments/redeem.ts';
import { sweepOrders } from '#payments/sweep.ts';
import { holdUnusedOrders } from '#store/orders/orders-to-review.ts';
import {
  assertProblem,
  openApiTestbed,
  samplePlainInquiry,
  sealInquiryForOrder,
  toInlineSealedBody,
} from '#test/api/api-testbed.ts';
import { openPaidForm, sendPlainForm } from '#test/cases/plain-form.ts';
import { formatStatusAndCode, sealInquiryForm, sendSealedForm } from '#test/cases/sealed-form.ts';
import { createDeskCli } from '#test/cli/desk-cli.ts';

const shop = await openApiTestbed({ after });
const agent = await shop.createAgent();
const desk = createDeskCli(shop);
const holdOrders = () =>
  shop.store.transaction((records) => holdUnusedOrders(records, shop.services.clock.now()));
const toPlainBody = (orderId: string) => ({ order_id: orderId, plain: { inquiry: samplePlainInquiry } });

/** An agent can neither open a case with the order nor upload for it, and sees it on hold. */
async function assertHeldForAgent(orderId: string): Promise<void> {
  const answer = await agent.submit(toPlainBody(orderId));
  assertProblem(answer, 409, 'payment_held');
  assert.match(String(answer.json['detail']), /Do not pay again/);
  const piece = `/orders/${orderId}/uploads/${'P'.repeat(22)}/0`;
  assertProblem(await agent.request('PUT', piece, Buffer.alloc(9)), 409, 'payment_held');
  assert.equal((await agent.request('GET', `/orders/${orderId}`)).json['status'], 'held');
  const { json } = await agent.request('GET', '/orders');
  const listed = json['orders'] as { id: string; status: string }[];
  assert.equal(listed.find(({ id }) => id === orderId)?.status, 'held');
}

test('an order on hold cannot be used until it is released, and its buyer is told why', async () => {
  const order = await agent.buy();
  const form = await openPaidForm(shop);
  const sealed = await sealInquiryForm(shop, form);
  assert.deepEqual(await holdOrders(), { paid: 2, other: 0 });

  await assertHeldForAgent(order.orderId);
  await assert.rejects(sendSealedForm(shop, form, sealed), / 409 .*payment_held/);
  const page = await shop.get('/inquiry', { headers: { cookie: form.cookie } });
  assert.equal(page.status, 409);
  assert.match(page.text, /We are checking your payment/);
  assert.match(page.text, /href="\/contact"/);

  assert.match(await desk.runForText('orders', 'list', '--held'), new RegExp(`${order.orderId} .*not yet`));
  const early = await desk.run('orders', 'release', '--all', '--yes');
  assert.deepEqual([early.code, early.stdout], [1, 'Released: 0 orders.\n']);
  assert.match(early.stderr, /the provider has not been asked/);
  await sweepOrders(shop.services);
  assert.equal(await desk.runForText('orders', 'release', order.orderId), 'Released: 1 order.\n');
  assert.equal((await agent.submit(toPlainBody(order.orderId))).status, 201);
  await assert.rejects(sendSealedForm(shop, form, sealed), / 409 .*payment_held/, 'the other one stays held');
  await desk.runForText('orders', 'release', '--all', '--yes');
  assert.equal(await formatStatusAndCode(sendSealedForm(shop, form, sealed)), '200');
  assert.equal(await desk.runForText('orders', 'list', '--held'), 'No order is on hold.\n');
});

test('an order that was paid back after the backup is found out, and one that is paid later stays held', async () => {
  const refunded = await agent.buy();
  const later = await shop.createSession();
  assert.deepEqual(await holdOrders(), { paid: 1, other: 1 });
  type HeldOrders = { orders: { payment: string; asked: boolean }[] };
  const { orders } = await desk.runForJson<HeldOrders>('orders', 'list', '--held');
  const told = orders.map(({ payment, asked }) => `${payment} ${asked}`);
  assert.deepEqual(told.toSorted(), ['paid false', 'pending false']);
  await shop.sandbox.setFaults({ webhooks: { lose: true } });
  await shop.sandbox.refund(refunded.sessionId);
  await shop.sandbox.pay(later);
  await shop.sandbox.callControl('DELETE', 'calls');
  await sweepOrders(shop.services);
  assert.equal((await shop.findOrder(refunded.sessionId))?.payment, 'refunded');
  const paid = await shop.findOrder(later);
  assert.deepEqual([paid?.payment, paid?.on_hold, paid?.check_at], ['paid', 1, null]);
  const calls = await shop.sandbox.readCalls();
  assert.deepEqual(
    Object.keys(calls.counts).filter((call) => !call.startsWith('GET ')),
    [],
    'nothing is written at the provider',
  );
  await shop.sandbox.setFaults();
});

for (const payment of ['disputed', 'charged_back', 'quarantined'] as const)
  test(`an order that is ${payment} is under review: its buyer is not asked to pay again`, async () => {
    const { orderId } = await agent.buy();
    const { records } = shop.store;
    await records.updateTable('orders').set({ payment }).where('id', '=', orderId).execute();
    await assertHeldForAgent(orderId);
  });

test('a held order that the provider does not know is kept for the operator', async () => {
  const order = await agent.buy();
  await holdOrders();
  const { records } = shop.store;
  await records.updateTable('orders').set({ expires_at: 0 }).where('id', '=', order.orderId).execute();
  await shop.sandbox.setFaults({ api: [{ match: 'GET /v1/checkout/sessions', status: 404 }] });
  await sweepOrders(shop.services);
  await shop.sandbox.setFaults();
  const stored = await shop.findOrder(order.sessionId);
  assert.deepEqual([stored?.payment, stored?.on_hold], ['paid', 1]);
  const line = await desk.runRefused(1, 'orders', 'release', 'A'.repeat(22));
  assert.match(line, /not an order on hold/);
});

test('an order of live money buys nothing under a test key, by any way in', async () => {
  const { orderId } = await agent.buy();
  const form = await openPaidForm(shop);
  const sealed = await sealInquiryForm(shop, form);
  await shop.store.records.updateTable('orders').set({ livemode: 1 }).where('redeemed', '=', 0).execute();

  await assertHeldForAgent(orderId);
  const inline = toInlineSealedBody(await sealInquiryForOrder(shop, { orderId }));
  assertProblem(await agent.submit({ order_id: orderId, sealed: inline }), 409, 'payment_held');
  await assert.rejects(sendSealedForm(shop, form, sealed), / 409 .*payment_held/);
  assert.equal((await sendPlainForm(shop, form)).status, 409);
});

test('an order of sandbox money buys nothing once the service is live, with a key or without', async () => {
  const { orderId, sessionId } = await agent.buy();
  const owner = { clientId: agent.client.clientId, userId: null };
  const redeem = (services: typeof shop.services, voucher: Voucher) =>
    shop.store.transaction((records) => redeemVoucher(records, services, voucher));
  for (const key of ['sk_live_x', null]) {
    const settings = { key, webhookSecrets: [], apiUrl: null, livemode: true };
    const live = { ...shop.services, paymentProvider: new StripeProvider(settings, shop.services) };
    for (const voucher of [{ sessionId }, { orderId, owner }])
      await assert.rejects(redeem(live, voucher), { code: 'payment_held' });
    await assert.rejects(requireKnownPaidOrder(live, owner, { orderId }), { code: 'payment_held' });
    await assert.rejects(requireSpendableSession(live, sessionId), { code: 'payment_held' });
  }
  assert.ok(await redeem(shop.services, { sessionId }), 'nothing was lost by trying');
});

test('the form without a script says that the payment is being checked, and shows what was typed', async () => {
  const form = await openPaidForm(shop);
  await holdOrders();
  const answer = await sendPlainForm(shop, form);
  assert.equal(answer.status, 409);
  assert.match(answer.text, /We are checking your payment/);
  assert.match(answer.text, /What you wrote/);
});
