/** Whatever the order, repetition or loss of the provider's events, an order ends in the state of its payment. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import fc from 'fast-check';
import { fulfilOrder } from '#payments/fulfil.ts';
import { isPaymentTransitionAllowed, toPaymentState } from '#payments/payment-state.ts';
import { PAYMENT_STATES, type PaymentState } from '#store/schema/column-values.ts';
import { waitUntil } from '#test/patience.ts';
import { isLongRun } from '#test/scale.ts';
import { startTestShop } from '#test/test-shop.ts';
import { PAID_FACTS } from './simulated-day.ts';

const { createSession, findOrder, sandbox, services } = await startTestShop({ after });

/** What can happen to a payment, and its final state. */
const stories: Record<string, { end: PaymentState; steps: readonly Step[] }> = {
  paid: { end: 'paid', steps: ['pay'] },
  'refunded in part': { end: 'paid', steps: ['pay', 'refund part'] },
  'refunded whole': { end: 'refunded', steps: ['pay', 'refund'] },
  'refunded in two parts': { end: 'refunded', steps: ['pay', 'refund part', 'refund'] },
  'a refund that failed': { end: 'paid', steps: ['pay', 'refund that fails'] },
  disputed: { end: 'disputed', steps: ['pay', 'dispute'] },
  'a dispute that was won': { end: 'paid', steps: ['pay', 'dispute', 'won'] },
  'a dispute that was lost': { end: 'charged_back', steps: ['pay', 'dispute', 'lost'] },
  expired: { end: 'expired', steps: ['expire'] },
  'paid late': { end: 'paid', steps: ['pay_later'] },
  'paid late in vain': { end: 'failed', steps: ['pay_later_fail'] },
};

type Step =
  | 'pay'
  | 'pay_later'
  | 'pay_later_fail'
  | 'expire'
  | 'refund'
  | 'refund part'
  | 'refund that fails'
  | 'dispute'
  | 'won'
  | 'lost';

test('an event that another process recorded before it could see the payment still brings its change', async () => {
  await sandbox.setFaults({ webhooks: { lose: true } });
  const sessionId = await createSession();
  await fulfilOrder(services, sessionId, 'evt_early');
  await sandbox.pay(sessionId);
  assert.equal((await fulfilOrder(services, sessionId, 'evt_early'))?.payment, 'paid');
});

for (const [name, { steps, end }] of Object.entries(stories))
  test(`${name}: every order and repetition of its events ends in ${end}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), async (random) => {
        await sandbox.setFaults({
          webhooks: { lose: true },
          settle_after_ms: 1,
          ...(steps.includes('refund that fails') && { refunds: { fail: true, after_ms: 1 } }),
        });
        const sessionId = await createSession();
        const known = new Set((await sandbox.listEvents()).map(({ id }) => id));
        await playSteps(sessionId, steps);
        const events = (await sandbox.listEvents()).filter(({ id }) => !known.has(id));
        for (const { id } of shuffleItems([...events, ...events], random)) await redeliverEvent(id);
        assert.equal((await findOrder(sessionId))?.payment, end);
      }),
      { numRuns: isLongRun ? 12 : 1 },
    );
  });

test('the order of payment states is transitive', () => {
  for (const a of PAYMENT_STATES)
    for (const b of PAYMENT_STATES.filter((state) => isPaymentTransitionAllowed(a, state)))
      for (const c of PAYMENT_STATES.filter((state) => isPaymentTransitionAllowed(b, state)))
        assert.ok(a === c || isPaymentTransitionAllowed(a, c), `${a} → ${b} → ${c}`);
});

test('a payment with another amount, currency, mode or livemode never pays the order', () => {
  const sold = { amount: 9_900, currency: 'usd', livemode: 0 } as const;
  const facts = { ...PAID_FACTS, orderId: 'x', amount: sold.amount, currency: sold.currency };
  assert.equal(toPaymentState(facts, sold), 'paid');
  for (const wrong of [
    { amount: 9_901 },
    { amount: null },
    { currency: 'eur' },
    { mode: 'setup' },
    { livemode: true },
  ])
    assert.equal(toPaymentState({ ...facts, ...wrong }, sold), 'quarantined');
});

async function playSteps(sessionId: string, steps: readonly Step[]): Promise<void> {
  let dispute = '';
  for (const step of steps) {
    if (step === 'won' || step === 'lost')
      await sandbox.callControl('POST', `disputes/${dispute}`, { status: step });
    else if (step === 'dispute') {
      const about = await fetchPaymentIntent(sessionId);
      dispute = (await sandbox.callControl<{ id: string }>('POST', 'disputes', about)).id;
    } else if (step.startsWith('refund')) {
      const part = step === 'refund part' ? { amount: '1000' } : {};
      const form = { ...(await fetchPaymentIntent(sessionId)), ...part };
      await sandbox.callApi('POST', 'refunds', form);
      if (step === 'refund that fails') await waitForEvent('refund.failed');
    } else {
      await sandbox.pay(sessionId, step);
      if (step === 'pay_later') await waitForEvent('checkout.session.async_payment_succeeded');
      if (step === 'pay_later_fail') await waitForEvent('checkout.session.async_payment_failed');
    }
  }

  async function waitForEvent(type: string): Promise<void> {
    const about = await fetchPaymentIntent(sessionId);
    await waitUntil(`there is ${type}`, async () => {
      const path = `events?type=${type}&limit=100`;
      const { data } = await sandbox.callApi<{ data: { data: { object: Named } }[] }>('GET', path);
      return data.some(
        ({ data: { object } }) =>
          object['id'] === sessionId || object['payment_intent'] === about.payment_intent,
      );
    });
  }
}

type Named = Readonly<Record<string, unknown>>;

async function fetchPaymentIntent(sessionId: string): Promise<{ payment_intent: string }> {
  const path = `checkout/sessions/${sessionId}`;
  const { payment_intent } = await sandbox.callApi<{ payment_intent: string }>('GET', path);
  return { payment_intent };
}

async function redeliverEvent(id: string): Promise<void> {
  const { statuses } = await sandbox.callControl<{ statuses: number[] }>('POST', `events/${id}/deliver`);
  assert.deepEqual(statuses, [200]);
}

function shuffleItems<Item>(items: readonly Item[], random: fc.Stream<number>): Item[] {
  return items
    .map((item) => ({ item, place: random.next().value ?? 0 }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
