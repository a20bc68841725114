/** Orders whose time is cut or that are forgotten: landing, webhook, list and key still do the right thing. */
import assert from 'node:assert/strict';
import test, { after, beforeEach } from 'node:test';
import { redeemVoucher } from '#payments/redeem.ts';
import { deleteOldOrders, sweepOrders } from '#payments/sweep.ts';
import { DAY_MS } from '#platform/durations.ts';
import { deleteUnchangedOrder } from '#store/orders/orders.ts';
import { clientCredentialsForm, toOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { readCheckoutSessionId, startTestShop } from '#test/test-shop.ts';

let clockOffset = 0;
const clock = { now: () => Date.now() + clockOffset };
const shop = await startTestShop({ after }, { clock });
const { createSession, findOrder, get, postCheckout, readLog, sandbox, services, store } = shop;
const testApp = toOAuthTestApp(shop);
const KEEP_DAYS = 365;

beforeEach(async () => {
  clockOffset = 0;
  await sandbox.setFaults();
});

async function payNewSession(): Promise<string> {
  const id = await createSession();
  await sandbox.pay(id);
  assert.equal((await findOrder(id))?.payment, 'paid');
  return id;
}

function redeemSession(sessionId: string) {
  return store.transaction((records) => redeemVoucher(records, services, { sessionId }));
}

/** Delivers the last event of a type again, and returns the status of the answer. */
async function deliverAgain(type: string): Promise<number | undefined> {
  const event = (await sandbox.listEvents()).findLast((each) => each.type === type);
  const path = `events/${event?.id}/deliver`;
  return (await sandbox.callControl<{ statuses: number[] }>('POST', path)).statuses[0];
}

/** In the order in which the service sweeps. */
async function deleteOldOrdersAfter(days: number): Promise<void> {
  clockOffset = days * DAY_MS;
  await sweepOrders(services);
  await deleteOldOrders(services, KEEP_DAYS);
  clockOffset = 0;
}

test('an order that is paid and unused opens its form long after, whatever sweeps have run', async () => {
  const id = await payNewSession();
  const before = await findOrder(id);
  clockOffset = 10 * KEEP_DAYS * DAY_MS;
  await sweepOrders(services);
  await deleteOldOrders(services, KEEP_DAYS);
  assert.deepEqual(await findOrder(id), before);
  assert.equal((await get(`/inquiry?tier=Trace&session_id=${id}`)).status, 303);
  assert.ok(await redeemSession(id));
});

test('a used order cannot be used again, its form is closed, and a refund still reaches it', async () => {
  const id = await payNewSession();
  assert.ok(await redeemSession(id));
  const cut = await findOrder(id);
  assert.deepEqual([cut!.created_at % DAY_MS, cut!.expires_at % DAY_MS, cut!.check_at], [0, 0, null]);
  await assert.rejects(redeemSession(id), { code: 'order_redeemed' });
  assert.equal((await get(`/inquiry?tier=Trace&session_id=${id}`)).status, 404);
  await sandbox.refund(id);
  assert.equal(await deliverAgain('charge.refunded'), 200);
  const refunded = await findOrder(id);
  assert.deepEqual({ ...refunded }, { ...cut, payment: 'refunded', revision: cut!.revision + 1 });
  await sweepOrders(services);
  assert.equal((await findOrder(id))?.payment, 'refunded');
});

test('an order is kept until the provider could be asked about it, however long that takes', async () => {
  const [paid, unpaid] = [await createSession(), await createSession()];
  const read = { match: 'GET /v1/checkout/sessions/{id}', status: 503, final: true };
  await sandbox.setFaults({ webhooks: { lose: true }, api: [read] });
  await sandbox.pay(paid);
  await deleteOldOrdersAfter(32);
  assert.equal((await findOrder(paid))?.payment, 'pending');
  await sandbox.setFaults({ webhooks: { lose: true } });
  await deleteOldOrdersAfter(33);
  assert.equal((await findOrder(paid))?.payment, 'paid');
  assert.equal(await findOrder(unpaid), undefined);
});

test('an expired order is cut, and an event about it changes nothing', async () => {
  const id = await createSession();
  await sandbox.callApi('POST', `checkout/sessions/${id}/expire`);
  assert.equal(await deliverAgain('checkout.session.expired'), 200);
  const cut = await findOrder(id);
  assert.deepEqual([cut?.payment, cut!.created_at % DAY_MS, cut!.expires_at % DAY_MS], ['expired', 0, 0]);
  assert.equal(await deliverAgain('checkout.session.expired'), 200);
  assert.deepEqual(await findOrder(id), cut);
});

test('an unpaid order that was forgotten stays so: its late event is 200, its landing finds no form', async () => {
  const id = await createSession();
  await sandbox.setFaults({ webhooks: { lose: true } });
  await sandbox.callApi('POST', `checkout/sessions/${id}/expire`);
  await deleteOldOrdersAfter(32);
  assert.equal(await findOrder(id), undefined);
  assert.equal(await deliverAgain('checkout.session.expired'), 200);
  assert.equal(await findOrder(id), undefined);
  assert.equal((await get(`/inquiry?tier=Trace&session_id=${id}`)).status, 404);
});

test('a refund of a used order that was forgotten is 200 and brings nothing back', async () => {
  const id = await payNewSession();
  await redeemSession(id);
  await deleteOldOrdersAfter(KEEP_DAYS + 2);
  assert.equal(await findOrder(id), undefined);
  await sandbox.refund(id);
  assert.equal(await deliverAgain('charge.refunded'), 200);
  assert.equal(await findOrder(id), undefined);
  await assert.rejects(redeemSession(id), { code: 'payment_required' });
});

test('a payment for an order that is gone is an alarm and asked for again, never silently lost', async () => {
  const id = await createSession();
  await sandbox.setFaults({ webhooks: { lose: true } });
  // As after a restore of an older backup.
  assert.ok(await deleteUnchangedOrder(store.records, (await findOrder(id))!));
  await sandbox.pay(id);
  assert.equal(await deliverAgain('checkout.session.completed'), 503);
  assert.match(readLog(), /"reason":"paid session without an order"/);
});

test('a list shows the minute of an open order and the day of a settled one', async () => {
  const { json } = await testApp.requestToken(await testApp.createClient(), clientCredentialsForm);
  const headers = { authorization: `Bearer ${json['access_token']}` };
  const buy = async () => readCheckoutSessionId(await postCheckout('Trace', headers));
  const [used, open] = [await buy(), await buy()];
  await sandbox.pay(used);
  await redeemSession(used);
  const { json: list } = await get('/api/orders', { headers });
  const orders = list['orders'] as { id: string; status: string; created_at: string }[];
  const findListed = async (session: string) => {
    const order = await findOrder(session);
    return orders.find(({ id }) => id === order?.id);
  };
  const today = `${new Date(clock.now()).toISOString().slice(0, 10)}T00:00:00.000Z`;
  const { status, created_at } = (await findListed(used))!;
  assert.deepEqual([status, created_at], ['redeemed', today]);
  assert.notEqual((await findListed(open))?.created_at, today);
});

test('no line of the log names an order', async () => {
  const id = (await findOrder(await payNewSession()))?.id ?? '';
  assert.match(readLog(), /order_changed/);
  assert.ok(!readLog().includes(id));
});
