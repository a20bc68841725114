/** The sweep settles orders whose webhook and landing never came. */

import assert from 'node:assert/strict';
import test, { after, beforeEach } from 'node:test';
import { sql } from 'kysely';
import { encryptSessionId } from '#payments/session-id.ts';
import { sweepOrders } from '#payments/sweep.ts';
import { startTestShop } from '#test/test-shop.ts';

const MINUTE = 60_000;
let clockOffset = 0;
const clock = { now: () => Date.now() + clockOffset };
const { postCheckout, readLog, createSession, findOrder, sandbox, store, services } = await startTestShop(
  { after },
  { clock },
);
const READ = 'GET /v1/checkout/sessions/{id}';

beforeEach(async () => {
  clockOffset = 0;
  await sql`update orders set check_at = null`.execute(store.records);
  await sandbox.setFaults({ webhooks: { lose: true } });
});

async function sweepAfter(minutes: number): Promise<void> {
  clockOffset = minutes * MINUTE;
  await sweepOrders(services);
}

test('an order whose webhook and landing were both lost is marked as paid by the sweep', async () => {
  const id = await createSession();
  await sandbox.pay(id);
  await sweepAfter(2);
  assert.equal((await findOrder(id))?.payment, 'pending', 'not before its time');
  await sweepAfter(3.1);
  assert.equal((await findOrder(id))?.payment, 'paid');
  assert.equal((await findOrder(id))?.check_at, null);
});

test('an unpaid order is asked about again later, not at every sweep', async () => {
  const id = await createSession();
  for (const minutes of [3.1, 4, 5, 6, 7]) await sweepAfter(minutes);
  assert.equal((await sandbox.readCalls()).counts[READ], 1);
  await sweepAfter(8.2);
  assert.equal((await sandbox.readCalls()).counts[READ], 2);
  assert.equal((await findOrder(id))?.payment, 'pending');
});

test('a session that is open past its time is closed at the provider', async () => {
  const id = await createSession();
  await sweepAfter(61);
  assert.equal((await findOrder(id))?.payment, 'expired');
  const { status } = await sandbox.callApi<{ status: string }>('GET', `checkout/sessions/${id}`);
  assert.equal(status, 'expired');
});

test('an order that never got a session expires without a call to the provider', async () => {
  await sandbox.setFaults({ api: [{ match: 'POST /v1/checkout/sessions', status: 400 }] });
  await postCheckout('Trace', { 'idempotency-key': 'an-order-that-never-got-a-session' });
  await sandbox.setFaults();
  await sweepAfter(61);
  const unbound = store.records.selectFrom('orders').select('payment').where('session_tag', 'is', null);
  assert.equal((await unbound.executeTakeFirstOrThrow()).payment, 'expired');
  assert.deepEqual((await sandbox.readCalls()).counts, {});
});

test('one order that cannot be read does not block the others', async () => {
  const ids = [await createSession(), await createSession(), await createSession()];
  for (const id of ids) await sandbox.pay(id);
  await sandbox.setFaults({ api: [{ match: READ, status: 500, times: 3 }] });
  await sweepAfter(3.1);
  const payments = await Promise.all(ids.map(async (id) => (await findOrder(id))?.payment));
  assert.equal(payments.filter((payment) => payment === 'paid').length, 2);
  await sweepAfter(14);
  for (const id of ids) assert.equal((await findOrder(id))?.payment, 'paid');
});

test('a delayed payment is checked every hour', async () => {
  await sandbox.setFaults({ webhooks: { lose: true }, settle_after_ms: 3_600_000 });
  const id = await createSession();
  await sandbox.pay(id, 'pay_later');
  for (let minutes = 4; minutes < 200; minutes += 4) await sweepAfter(minutes);
  assert.equal((await findOrder(id))?.payment, 'processing');
  const reads = (await sandbox.readCalls()).counts[READ] ?? 0;
  assert.ok(reads <= 5, `${reads} reads in three hours`);
});

test('a session that the provider does not know ends with an alarm, not with endless retries', async () => {
  const id = await createSession();
  const { id: orderId } = (await findOrder(id))!;
  const forgotten = encryptSessionId(services.keyring, 'cs_test_forgotten000000000', orderId);
  const bound = { session_tag: forgotten.tag, session_ciphertext: forgotten.ciphertext };
  await store.records.updateTable('orders').set(bound).where('id', '=', orderId).execute();
  await sweepAfter(61);
  assert.equal((await findOrder('cs_test_forgotten000000000'))?.payment, 'expired');
  assert.match(readLog(), /"reason":"provider does not know a session that it made"/);
});

test('while the provider is down the sweep stops early and loses nothing', async () => {
  const ids = [];
  for (let index = 0; index < 5; index += 1) ids.push(await createSession());
  for (const id of ids) await sandbox.pay(id);
  await sandbox.setFaults({ api: [{ match: READ, status: 500 }] });
  await sweepAfter(3.1);
  assert.equal((await sandbox.readCalls()).counts[READ], 9, 'three orders, each with the SDK’s two retries');
  await sandbox.setFaults();
  await sweepAfter(14);
  for (const id of ids) assert.equal((await findOrder(id))?.payment, 'paid');
});
