/** One order by its id, the checkout that names it, and the refusal to open a case with it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test, { beforeEach } from 'node:test';
import { HOUR_MS } from '#platform/durations.ts';
import { waitUntil } from '#test/patience.ts';
import { readCheckoutSessionId } from '#test/test-shop.ts';
import { assertProblem, type PaidCheckout, samplePlainInquiry, shareApiTestbed } from './api-testbed.ts';

const testbed = await shareApiTestbed();
const agent = await testbed.createAgent();
const plain = { inquiry: samplePlainInquiry };

beforeEach(() => testbed.sandbox.setFaults());

interface OrderPage {
  readonly orders: readonly { readonly id: string }[];
  readonly next?: string;
}

async function checkOut(tier: string, headers: Record<string, string> = {}) {
  const answer = await agent.request('POST', '/stripe/checkout', { tier }, headers);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.json), ['url']);
  const location = String(answer.headers.location);
  assert.ok(location.startsWith(`${testbed.services.addresses.api}/orders/`), location);
  return {
    path: location.slice(testbed.services.addresses.api.length),
    session: readCheckoutSessionId(answer),
  };
}

async function readStatus(path: string): Promise<unknown> {
  const { status, json, text } = await agent.request('GET', path);
  assert.equal(status, 200, text);
  return json['status'];
}

/** Returns once the provider's event has arrived. */
async function refundOrder({ sessionId }: PaidCheckout): Promise<void> {
  await testbed.sandbox.refund(sessionId);
  await waitUntil('it is refunded', async () => (await testbed.findOrder(sessionId))?.payment === 'refunded');
}

test('a checkout names its order, so that two purchases at once are told apart', async () => {
  const [first, second] = await Promise.all([checkOut('Trace'), checkOut('Trace')]);
  assert.notEqual(first.path, second.path);
  await testbed.sandbox.pay(second.session);
  const orderId = second.path.split('/').at(-1);
  assert.equal((await agent.submit({ order_id: orderId, plain })).status, 201);
  assert.deepEqual([await readStatus(first.path), await readStatus(second.path)], ['pending', 'redeemed']);
});

test('a repeated checkout names the same order, and the list has the same as the address', async () => {
  const key = { 'idempotency-key': 'one-purchase' };
  const [first, again] = [await checkOut('Dossier', key), await checkOut('Dossier', key)];
  assert.equal(again.path, first.path);
  const { json } = await agent.request('GET', first.path);
  assert.deepEqual([json['tier'], json['status']], ['Dossier', 'pending']);
  const listed = (await agent.request('GET', '/orders?limit=100')).json['orders'] as { id: string }[];
  assert.deepEqual(
    listed.find(({ id }) => id === json['id']),
    json,
  );
});

test('a repeated checkout of an order that can no longer be paid says so, and gives no payment page', async () => {
  for (const [how, faults, status] of [
    ['pay', {}, 'paid'],
    ['pay', { webhooks: { lose: true } }, 'paid'],
    ['pay_later', { settle_after_ms: HOUR_MS }, 'pending'],
  ] as const) {
    const key = { 'idempotency-key': randomUUID() };
    const { path, session } = await checkOut('Trace', key);
    await testbed.sandbox.setFaults(faults);
    await testbed.sandbox.pay(session, how);
    const again = await agent.request('POST', '/stripe/checkout', { tier: 'Trace' }, key);
    assertProblem(again, 409, 'idempotency_key_used');
    assert.equal(again.headers.location, testbed.services.addresses.api + path);
    assert.equal(await readStatus(path), status, how);
    if (status !== 'paid') continue;
    assert.equal((await agent.submit({ order_id: path.split('/').at(-1), plain })).status, 201);
    const used = await agent.request('POST', '/stripe/checkout', { tier: 'Trace' }, key);
    assertProblem(used, 409, 'idempotency_key_used');
  }
});

test('a payment that was not heard of before the page ran out is found by the repeated checkout', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const { path, session } = await checkOut('Trace', key);
  await testbed.sandbox.setFaults({ webhooks: { lose: true } });
  await testbed.sandbox.pay(session);
  await testbed.store.records
    .updateTable('orders')
    .set({ expires_at: Date.now() - 1 })
    .where('id', '=', path.split('/').at(-1) ?? '')
    .execute();
  const again = await agent.request('POST', '/stripe/checkout', { tier: 'Trace' }, key);
  assertProblem(again, 409, 'idempotency_key_used');
  assert.equal(again.headers.location, testbed.services.addresses.api + path);
  assert.equal(await readStatus(path), 'paid');
});

test('orders are listed in pages, each once and always in the same order', async () => {
  const buyer = await testbed.createAgent();
  for (let count = 0; count < 5; count += 1)
    await buyer.request('POST', '/stripe/checkout', { tier: 'Trace' });
  const list = async (query: string) =>
    (await buyer.request('GET', `/orders${query}`)).json as unknown as OrderPage;
  const seen: string[] = [];
  let page = await list('?limit=2');
  for (;;) {
    seen.push(...page.orders.map(({ id }) => id));
    if (page.next === undefined) break;
    page = await list(`?limit=2&after=${page.next}`);
  }
  assert.equal(new Set(seen).size, 5);
  assert.deepEqual(
    seen,
    (await list('')).orders.map(({ id }) => id),
  );
});

test('an order of another client, or of no client, is not found', async () => {
  const { path } = await checkOut('Trace');
  const stranger = await testbed.createAgent();
  assertProblem(await stranger.request('GET', path), 404, 'not_found');
  const withoutToken = await testbed.postCheckout('Trace');
  assert.equal(withoutToken.headers.location, undefined, 'it names no order');
  const session = readCheckoutSessionId(withoutToken);
  const ownerless = (await testbed.findOrder(session))?.id;
  for (const id of [ownerless, 'A'.repeat(22)])
    assertProblem(await agent.request('GET', `/orders/${id}`), 404, 'not_found');
  assertProblem(await agent.request('GET', '/orders/short'), 422, 'validation_failed');
});

test('a used order says that it opened a case, and never asks for a payment', async () => {
  const bought = await agent.buy();
  assert.equal((await agent.submit({ order_id: bought.orderId, plain })).status, 201);
  for (const order of [{ order_id: bought.orderId }, { session_id: bought.sessionId }]) {
    const answer = await agent.submit({ ...order, plain });
    assertProblem(answer, 409, 'order_redeemed');
    assert.match(String(answer.json['detail']), /Do not pay again/);
  }
});

test('an order that was paid back says so, used or not', async () => {
  const [unused, used] = [await agent.buy(), await agent.buy()];
  assert.equal((await agent.submit({ order_id: used.orderId, plain })).status, 201);
  for (const bought of [unused, used]) await refundOrder(bought);
  assertProblem(await agent.submit({ order_id: unused.orderId, plain }), 409, 'order_refunded');
  assertProblem(await agent.submit({ order_id: used.orderId, plain }), 409, 'order_redeemed');
  assert.equal(await readStatus(`/orders/${unused.orderId}`), 'refunded');
});
