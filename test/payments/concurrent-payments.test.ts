/** Concurrent purchases on both engines; on PostgreSQL transactions really run concurrently. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { sql } from 'kysely';
import { redeemVoucher } from '#payments/redeem.ts';
import { sweepOrders } from '#payments/sweep.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { startTestShop } from '#test/test-shop.ts';

const cleanUp = withReverseCleanup({ after });
const engines = await listEngineVariables(cleanUp);
let clockOffset = 0;
const clock = { now: () => Date.now() + clockOffset };
// Starts both before the first test: awaiting between two suites would let the first one end, and with it the service.
const shops = await Array.fromAsync(Object.entries(engines), async ([engine, env]) => ({
  engine,
  shop: await startTestShop(cleanUp, { env, clock }),
}));

for (const { engine, shop } of shops) {
  const { postCheckout, get, createSession, findOrder, sandbox, store, services } = shop;
  const countOrders = async () => (await store.records.selectFrom('orders').select('id').execute()).length;

  test(`fifty concurrent deliveries and fifty landings pay one order once, on ${engine}`, async () => {
    const id = await createSession();
    await sandbox.setFaults({ webhooks: { lose: true } });
    await sandbox.pay(id);
    const events = await sandbox.listEvents();
    const completed = events.findLast(({ type }) => type === 'checkout.session.completed');
    const often = { times: 50, concurrency: 50 };
    const [{ statuses }, landings] = await Promise.all([
      sandbox.callControl<{ statuses: number[] }>('POST', `events/${completed!.id}/deliver`, often),
      Promise.all(Array.from({ length: 50 }, () => get(`/inquiry?tier=Trace&session_id=${id}`))),
    ]);
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.deepEqual(new Set(landings.map(({ status }) => status)), new Set([303]));
    const order = await findOrder(id);
    assert.deepEqual([order?.payment, order?.revision], ['paid', 1]);
  });

  test(`one Idempotency-Key used by ten concurrent callers makes one order, on ${engine}`, async () => {
    await sandbox.setFaults();
    const before = await countOrders();
    const key = { 'idempotency-key': 'the-same-key-of-ten-callers' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => postCheckout('Dossier', key)));
    for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]?.text]);
    assert.equal(await countOrders(), before + 1);
  });

  test(`twenty concurrent redemptions spend a paid order once, and an unpaid one never, on ${engine}`, async () => {
    await sandbox.setFaults();
    const id = await createSession();
    await sandbox.pay(id);
    const redeem = () => store.transaction((records) => redeemVoucher(records, services, { sessionId: id }));
    const tries = await Promise.allSettled(Array.from({ length: 20 }, redeem));
    const codes = tries.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason.code] : []));
    assert.deepEqual(codes, Array(19).fill('order_redeemed'));
    const unpaid = redeemVoucher(store.records, services, { sessionId: await createSession() });
    await assert.rejects(unpaid, { code: 'payment_required' });
  });

  test(`three concurrent sweeps ask about each of twelve orders once, on ${engine}`, async () => {
    await sql`update orders set check_at = null`.execute(store.records);
    for (let index = 0; index < 12; index += 1) await createSession();
    await sandbox.setFaults();
    clockOffset = 4 * 60_000;
    await Promise.all([sweepOrders(services), sweepOrders(services), sweepOrders(services)]);
    clockOffset = 0;
    assert.equal((await sandbox.readCalls()).counts['GET /v1/checkout/sessions/{id}'], 12);
  });
}
