/** Money that is returned: refunds, failed refunds and disputes. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Stripe } from 'stripe';
import { toObjectId } from '#sandbox/state.ts';
import {
  buyInSandbox,
  retrieveCharge,
  type SandboxWithReceiver,
  startSandboxWithReceiver,
  stopSandboxWithReceiver,
} from './sandbox-process.ts';

suite('refunds and disputes', () => {
  let shop: SandboxWithReceiver;
  let stripe: Stripe;
  before(async () => {
    shop = await startSandboxWithReceiver();
    stripe = shop.sandbox.stripe;
  });
  after(() => stopSandboxWithReceiver(shop));

  const createPaidIntent = async (): Promise<string> =>
    toObjectId((await buyInSandbox(shop.sandbox)).payment_intent);
  const fetchCharge = async (payment_intent: string): Promise<Stripe.Charge> => {
    const { data } = await stripe.checkout.sessions.list({ payment_intent });
    return (await retrieveCharge(shop.sandbox, data[0]!.id)).charge;
  };
  const listEventTypes = (payment_intent: string) =>
    shop.receiver.events
      .filter(({ data }) => (data.object as { payment_intent?: string }).payment_intent === payment_intent)
      .map(({ type }) => type);

  test('a refund in two parts is shown on the charge and reported', async () => {
    const payment_intent = await createPaidIntent();
    const first = await stripe.refunds.create({ payment_intent, amount: 10_000 });
    assert.equal(first.status, 'succeeded');
    assert.deepEqual(
      [(await fetchCharge(payment_intent)).amount_refunded, (await fetchCharge(payment_intent)).refunded],
      [10_000, false],
    );
    await assert.rejects(stripe.refunds.create({ payment_intent, amount: 19_901 }), /Only 19900/);
    const rest = await stripe.refunds.create({ payment_intent });
    assert.equal(rest.amount, 19_900);
    assert.equal((await fetchCharge(payment_intent)).refunded, true);
    await assert.rejects(stripe.refunds.create({ payment_intent }), /refunded already/);
    // Webhooks arrive in any order.
    for (const reported of ['charge.refunded', 'refund.created'])
      await shop.receiver.waitUntil(
        () => listEventTypes(payment_intent).filter((type) => type === reported).length === 2,
      );
  });

  test('a refund can fail afterwards and the charge is whole again', async () => {
    await shop.sandbox.callControl('PUT', 'faults', { refunds: { fail: 1, after_ms: 50 } });
    const payment_intent = await createPaidIntent();
    await stripe.refunds.create({ payment_intent });
    await shop.receiver.waitUntil(() => listEventTypes(payment_intent).includes('charge.refund.updated'));
    assert.equal((await fetchCharge(payment_intent)).amount_refunded, 0);
    assert.ok(listEventTypes(payment_intent).includes('refund.failed'));
    assert.equal((await stripe.refunds.create({ payment_intent })).status, 'succeeded');
  });

  test('a payment that did not happen cannot be refunded', async () => {
    await assert.rejects(stripe.refunds.create({ payment_intent: 'pi_none' }), { code: 'resource_missing' });
    await assert.rejects(stripe.refunds.create({}), { param: 'payment_intent' });
    await shop.sandbox.callControl('PUT', 'faults', { settle_after_ms: 60_000 });
    const pending = await buyInSandbox(shop.sandbox, 'pay_later');
    const refund = stripe.refunds.create({ payment_intent: toObjectId(pending.payment_intent) });
    await assert.rejects(refund, /no successful charge/);
  });

  test('a dispute is found from the payment, blocks refunds, and is won or lost', async () => {
    for (const [status, back] of [
      ['won', true],
      ['lost', false],
    ] as const) {
      const payment_intent = await createPaidIntent();
      const { id } = await shop.sandbox.callControl<Stripe.Dispute>('POST', 'disputes', { payment_intent });
      assert.match(id, /^du_/);
      const [found] = (await stripe.disputes.list({ payment_intent })).data;
      assert.equal(found?.id, id);
      assert.equal(found.status, 'needs_response');
      assert.equal((await fetchCharge(payment_intent)).disputed, true);
      await assert.rejects(stripe.refunds.create({ payment_intent }), /charged back/);

      await shop.sandbox.callControl('POST', `disputes/${id}`, { status });
      assert.equal((await stripe.disputes.list({ payment_intent })).data[0]?.status, status);
      const expected = ['charge.dispute.created', 'charge.dispute.funds_withdrawn', 'charge.dispute.closed'];
      if (back) expected.push('charge.dispute.funds_reinstated');
      const listDisputeEvents = () =>
        listEventTypes(payment_intent).filter((type) => type.startsWith('charge.dispute.'));
      await shop.receiver.waitUntil(() => listDisputeEvents().length === expected.length);
      assert.deepEqual(listDisputeEvents().toSorted(), expected.toSorted());
    }
  });

  test('a warning and a prevented dispute move no money', async () => {
    const payment_intent = await createPaidIntent();
    const body = { payment_intent, status: 'warning_needs_response' };
    const { id } = await shop.sandbox.callControl<Stripe.Dispute>('POST', 'disputes', body);
    await shop.sandbox.callControl('POST', `disputes/${id}`, { status: 'prevented' });
    await shop.receiver.waitUntil(() => listEventTypes(payment_intent).includes('charge.dispute.closed'));
    assert.ok(!listEventTypes(payment_intent).includes('charge.dispute.funds_withdrawn'));
  });
});
